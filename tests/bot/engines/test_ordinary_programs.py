"""Programs in several languages do their ordinary things in the box."""

import asyncio
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.bot.engines.hostile import DID, outcome
from tests.skipping import skip

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these protections"),
    pytest.mark.usefixtures("system"),
]

IN_C = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *work(void *sum) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (pthread_setaffinity_np(pthread_self(), sizeof one, &one)) return NULL;
    char *block = malloc(1 << 20);
    memset(block, 1, 1 << 20);
    for (int i = 0; i < 1 << 20; i++) *(long *)sum += block[i];
    free(block);
    return sum;
}

int main(void) {
    pthread_t threads[4];
    long sums[4] = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/file", getenv("HOME"));
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "x") != 1 || fchmod(fileno(file), 0600) || fclose(file)) return 1;
    if (utimensat(AT_FDCWD, path, NULL, 0) || unlink(path)) return 2;
    errno = 0;
    if (nice(1) == -1 && errno) return 2;
    for (int i = 0; i < 4; i++) if (pthread_create(&threads[i], NULL, work, &sums[i])) return 3;
    for (int i = 0; i < 4; i++) if (pthread_join(threads[i], NULL)) return 4;
    puts(sums[0] + sums[3] == 2 << 20 ? "well" : "wrong");
}
"""
IN_PYTHON = """
import asyncio, concurrent.futures, multiprocessing, os, shutil, subprocess, sys, tempfile

def double(number):
    return 2 * number

def answer(pipe):
    pipe.send(double(pipe.recv()))

async def started():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(1)", stdout=-1)
    return (await process.communicate())[0]

if __name__ == "__main__":
    os.nice(1)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(double, range(8))) == list(range(0, 16, 2))
    assert asyncio.run(started()) == b"1\\n"
    for method in ("fork", "spawn"):
        ours, theirs = multiprocessing.get_context(method).Pipe()
        process = multiprocessing.get_context(method).Process(target=answer, args=(theirs,))
        process.start()
        ours.send(3)
        assert ours.recv() == 6
        process.join()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.dirname(__file__), folder + "/copy")
        shutil.make_archive(folder + "/archive", "tar", folder + "/copy")
        shutil.unpack_archive(folder + "/archive.tar", folder + "/again")
    print("well")
"""
IN_NODE = """
const { Worker, isMainThread, parentPort } = require("node:worker_threads");
const fs = require("node:fs");
if (!isMainThread) {
  parentPort.postMessage(6);
} else {
  fs.cpSync(__filename, process.env.HOME + "/copy.js", { preserveTimestamps: true });
  const { spawnSync } = require("node:child_process");
  const child = spawnSync(process.execPath, ["-e", "console.log(1)"]);
  const said = child.stdout.toString().trim();
  new Worker(__filename).on("message", (six) => console.log(six + said === "61" ? "well" : said));
}
"""
IN_JAVA = """
import java.util.stream.IntStream;
public class Program {
    public static void main(String[] words) throws Exception {
        var thread = new Thread(() -> {});
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
        thread.join();
        int sum = IntStream.range(0, 1000).parallel().sum();
        var child = new ProcessBuilder("echo", "1").start();
        System.out.println(sum == 499500 && child.waitFor() == 0 ? "well" : "wrong");
    }
}
"""
ORDINARY: Mapping[str, tuple[str, str, list[str]]] = {
    "C": ("cc", IN_C, ["{folder}/program"]),
    "Python": (sys.executable, IN_PYTHON, [sys.executable, "{folder}/program.py"]),
    "node": ("node", IN_NODE, ["node", "{folder}/program.js"]),
    "Java": ("javac", IN_JAVA, ["java", "-cp", "{folder}", "Program"]),
}
SUFFIXES = {"C": "program.c", "Python": "program.py", "node": "program.js", "Java": "Program.java"}


@pytest.mark.parametrize("language", ORDINARY)
async def test_an_ordinary_program_works_in_the_box(language: str, tmp_path: Path) -> None:
    tool, text, command = ORDINARY[language]
    if shutil.which(tool) is None:
        skip(f"{tool} is not installed")
    home = tmp_path / "engine"
    home.mkdir()
    source = home / SUFFIXES[language]
    source.write_text(text)
    compilers = {
        "C": ["cc", "-pthread", "-o", str(home / "program"), str(source)],
        "Java": ["javac", "-d", str(home), str(source)],
    }
    if language in compilers:
        compiler = await asyncio.create_subprocess_exec(*compilers[language])
        assert await compiler.wait() == 0
    words = [word.format(folder=home) for word in command]
    body = (
        "import subprocess\n"
        "done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=60)\n"
        "return done.stdout + done.stderr"
    )
    said = await outcome(tmp_path, body, COMMAND=words)
    assert said == f'{DID} "well\\n"'
