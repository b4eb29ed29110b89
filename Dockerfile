# syntax=docker/dockerfile:1
# Two stages: the first installs and compiles, the second runs as an ordinary user.
#   docker build -t bluestone .
#   docker run -p 8765:8765 -v bluestone-data:/data bluestone
ARG PYTHON=3.12
# The compiled kernels must run on any machine of their kind, not only on the one that built the
# image: x86-64-v3 is every server since 2015. On ARM: --build-arg KERNEL_CPU=generic
ARG KERNEL_CPU=x86-64-v3

# What else to install: "[distributed]" for the workers of tournaments on many machines.
ARG EXTRAS=""

FROM python:${PYTHON}-slim AS build
ARG KERNEL_CPU
ARG EXTRAS
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 \
    BLUESTONE_CACHE_DIR=/opt/bluestone/kernels \
    NUMBA_CPU_NAME=${KERNEL_CPU} NUMBA_CPU_FEATURES=""
WORKDIR /src
RUN python -m venv /opt/bluestone/venv
ENV PATH=/opt/bluestone/venv/bin:$PATH
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY engine engine
COPY bot bot
COPY config config
RUN pip install --no-compile -c constraints.txt ".${EXTRAS}" && python -m compileall -q /opt/bluestone/venv
RUN bluestone warm

FROM python:${PYTHON}-slim
ARG KERNEL_CPU
LABEL org.opencontainers.image.title="Bluestone" \
      org.opencontainers.image.description="A bot for two-stone board games, and the server on which such bots meet" \
      org.opencontainers.image.licenses="MIT"
RUN groupadd --system --gid 10001 bluestone \
    && useradd --system --uid 10001 --gid bluestone --home-dir /data --shell /usr/sbin/nologin bluestone \
    && install -d -o bluestone -g bluestone -m 0750 /data /secrets
# compose.yaml mounts a volume for tokens on /secrets; it takes the owner that the folder has here.
COPY --from=build /opt/bluestone/venv /opt/bluestone/venv
# Numba looks after its cache itself, so its user must be able to write there.
COPY --from=build --chown=bluestone:bluestone /opt/bluestone/kernels /opt/bluestone/kernels
ENV PATH=/opt/bluestone/venv/bin:$PATH \
    BLUESTONE_CACHE_DIR=/opt/bluestone/kernels \
    NUMBA_CPU_NAME=${KERNEL_CPU} NUMBA_CPU_FEATURES="" \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/healthz', timeout=2)"]
CMD ["bluestone", "up", "--host", "0.0.0.0", "--port", "8765", "--data", "/data"]
