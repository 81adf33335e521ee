"""plan_cache.py FOLDER: what fastnorm-run keeps of compiled plans, and what becomes of it when it is damaged."""

import os
import pathlib
import random
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])


def command(cache, *flags, hidden=64, target="h200"):
    graph = ["fastnorm-run", "--graph=rms_norm", "--set", f"hidden={hidden}", f"--target={target}", "--emit=plan"]
    return [*graph, *([f"--cache-dir={cache}"] if cache else []), *flags]


def run(arguments, environment=None):
    done = subprocess.run(arguments, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.decode()


def kept(cache):
    return sorted(cache.iterdir()) if cache.exists() else []


def main():
    cache = FOLDER / "cache"
    plain = run(command(None, "--no-cache"))[0]
    other = run(command(None, "--no-cache", hidden=32))[0]
    assert plain != other
    assert run(command(cache))[0] == plain
    (file,) = kept(cache)
    # A whole plan of something else in its place shows that it is read.
    file.write_bytes(other)
    assert run(command(cache))[0] == other
    file.write_bytes(plain)
    print("the kept plan is used")

    differing = (command(cache, hidden=32), command(cache, target="a100"), command(cache, "--alignment=any"),
                 command(cache, "--row-invariant"))  # fmt: skip
    for count, arguments in enumerate(differing, 2):
        run(arguments)
        assert len(kept(cache)) == count, arguments
    print("other graphs, targets and options are kept apart")

    home, xdg = FOLDER / "home", FOLDER / "xdg"
    bare = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
    run(command(None, "--no-cache"), {**bare, "HOME": str(home)})
    assert not home.exists()
    print("--no-cache keeps nothing")

    run(command(None), {**bare, "HOME": str(home)})
    assert len(kept(home / ".cache" / "fastnorm")) == 1
    run(command(None), {**bare, "HOME": str(home), "XDG_CACHE_HOME": str(xdg)})
    assert len(kept(xdg / "fastnorm")) == 1 and len(kept(home / ".cache" / "fastnorm")) == 1
    assert run(command(None), {**bare, "XDG_CACHE_HOME": "relative"})[0] == plain
    print("by the user's folder: XDG_CACHE_HOME, else HOME, else none")

    for damaged in (b"", plain[: len(plain) // 2], plain[:-2]):
        file.write_bytes(damaged)
        assert run(command(cache))[0] == plain and file.read_bytes() == plain
    print("0 bytes, half, a byte less: compiled again")

    numbers, caught = random.Random(1), 0
    for _ in range(40):
        place = numbers.randrange(len(plain))
        flipped = bytes([plain[place] ^ 1 << numbers.randrange(7)])
        file.write_bytes(plain[:place] + flipped + plain[place + 1 :])
        caught += run(command(cache))[0] == plain
    print(f"a flipped byte: compiled again, {caught} of 40")

    shared = FOLDER / "shared"
    processes = [subprocess.Popen(command(shared), stdout=subprocess.PIPE) for _ in range(16)]
    assert all(process.communicate()[0] == plain and process.returncode == 0 for process in processes)
    (one,) = kept(shared)
    assert one.read_bytes() == plain
    print("16 processes at once: one file")

    blocked = FOLDER / "file"
    blocked.write_text("")
    output, complaint = run(command(blocked / "cache"))
    assert output == plain and "the plan is not kept in" in complaint, complaint
    print("a folder that can't be written costs a note")


main()
