"""Files of a workspace in which sandboxes run: their placeholders come and go while it is read."""
import os
import pathlib


def below(root):
    """All paths below the directory.  Unlike rglob() it passes over a directory that vanishes."""
    return sorted(pathlib.Path(top) / name for top, dirs, files in os.walk(root) for name in dirs + files)
