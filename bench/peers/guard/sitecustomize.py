"""Refuses connections to other machines, and records each attempt in PEERS_REFUSED."""

import ipaddress
import os
import socket


def is_local(host):
    if host in ("localhost", "", None):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse(host):
    with open(os.environ["PEERS_REFUSED"], "a", encoding="utf-8") as file:
        file.write(f"{host}\n")
    raise OSError(f"no connections to {host} during a benchmark")


def guarded(method):
    def call(self, address, *rest):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not is_local(address[0]):
            refuse(address[0])
        return method(self, address, *rest)

    return call


def guarded_lookup(host, *rest, **named):
    name = host.decode() if isinstance(host, bytes) else host
    if not is_local(name):
        refuse(name)
    return lookup(host, *rest, **named)


lookup = socket.getaddrinfo
if "PEERS_REFUSED" in os.environ:
    socket.getaddrinfo = guarded_lookup
    socket.socket.connect = guarded(socket.socket.connect)
    socket.socket.connect_ex = guarded(socket.socket.connect_ex)
