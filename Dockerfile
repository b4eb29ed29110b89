# syntax=docker/dockerfile:1
# Two stages: the first builds the wheel and installs it, the second runs as an ordinary user.
#   docker build -t bluestone .
#   docker run -p 8765:8765 -v bluestone-data:/data bluestone
# Python is the version with which all tests run. The base image is pinned by its digest, and the packages by
# their hashes (make hashes). To renew the digest: docker buildx imagetools inspect python:3.11-slim-bookworm
# For an arena on PostgreSQL, of one process or several: --build-arg CLUSTER=1 adds psycopg, which is under
# the LGPL 3.0, and valkey (docs/scaling.md).
ARG BASE=python:3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
# What builds the wheel: Numba compiles the engine ahead of time, for all processors of this kind.
RUN python -m venv /opt/build
ENV PATH=/opt/build/bin:$PATH
COPY requirements-hashed.txt requirements-compile-hashed.txt requirements-dist-hashed.txt ./
RUN pip install --no-compile --require-hashes --only-binary :all: -r requirements-hashed.txt \
      -r requirements-compile-hashed.txt -r requirements-dist-hashed.txt
COPY pyproject.toml README.md LICENSE ./
COPY engine engine
COPY bot bot
COPY config config
COPY tools tools
RUN python -m tools.dist --machine "$(uname -m)"
# What runs. With Dask, for tournaments on many machines (config/compose-tournament.yaml).
RUN python -m venv --without-pip /opt/bluestone/venv
ENV PIP_PYTHON=/opt/bluestone/venv/bin/python
RUN pip install --no-compile --require-hashes --only-binary :all: -r requirements-hashed.txt
ARG CLUSTER=""
COPY requirements-cluster-hashed.txt ./
RUN if [ -n "$CLUSTER" ]; then \
      pip install --no-compile --require-hashes --only-binary :all: -r requirements-cluster-hashed.txt; \
    fi
RUN pip install --no-compile --no-deps build/dist/bluestone-*-manylinux*.whl && \
    python -m compileall -q -x '/tests/' /opt/bluestone/venv

FROM ${BASE}
# Accepted and without effect: the wheel has a library for each level of processors.
ARG KERNEL_CPU=""
LABEL org.opencontainers.image.title="Bluestone" \
      org.opencontainers.image.description="A bot for two-stone board games, and the server on which such bots meet" \
      org.opencontainers.image.licenses="MIT"
RUN groupadd --gid 10001 bluestone \
    && useradd --uid 10001 --gid bluestone --home-dir /data --shell /usr/sbin/nologin bluestone \
    && install -d -o bluestone -g bluestone -m 0750 /data /secrets
# compose.yaml mounts a volume for tokens on /secrets; it takes the owner that the folder has here.
COPY --from=build /opt/bluestone/venv /opt/bluestone/venv
ENV PATH=/opt/bluestone/venv/bin:$PATH \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME /data
# Everything else may be read-only: docker run --read-only --tmpfs /tmp
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/healthz', timeout=2)"]
CMD ["bluestone", "up", "--host", "0.0.0.0", "--port", "8765", "--data", "/data"]
