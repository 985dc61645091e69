"""Enables the loopback device of a new network namespace, then becomes the given command."""

import fcntl
import os
import socket
import struct
import sys

SIOCSIFFLAGS = 0x8914
IFF_UP = 1

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
os.execvp(sys.argv[1], sys.argv[1:])
