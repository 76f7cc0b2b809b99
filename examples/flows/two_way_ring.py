#!/usr/bin/env python3
"""A ring all-reduce as flows for `trainyard simulate --flows`: half of the buffer goes around each way.

usage: two_way_ring.py HOSTS BYTES > rings.csv
"""
import sys


def main():
    hosts, size = int(sys.argv[1]), int(float(sys.argv[2]))
    chunk = size // hosts // 2
    print("from,to,bytes,start_s,id,after")
    for way in (1, -1):
        for step in range(2 * (hosts - 1)):
            for host in range(hosts):
                name = f"{'up' if way == 1 else 'down'}{step}h{host}"
                before = f"{'up' if way == 1 else 'down'}{step - 1}h{(host - way) % hosts}" if step else ""
                print(f"{host},{(host + way) % hosts},{chunk},0,{name},{before}")


if __name__ == "__main__":
    main()
