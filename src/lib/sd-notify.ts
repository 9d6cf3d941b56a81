/**
 * Notifies systemd of the state of the process: datagrams to the socket that it names
 * (sd_notify(3)). Bun has no Unix datagram sockets, so this calls the C library. Without one,
 * nothing is sent.
 */
import { dlopen, ptr } from 'bun:ffi'

const LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]
const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000

const SYMBOLS = {
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
  close: { args: ['i32'], returns: 'i32' },
} as const

/** `struct sockaddr_un`. A name with a leading @ is an abstract one. */
function addressOf(path: string): Buffer {
  const address = Buffer.alloc(2 + Buffer.byteLength(path) + (path.startsWith('@') ? 0 : 1))
  address.writeUInt16LE(AF_UNIX, 0)
  address.write(path, 2)
  if (path.startsWith('@')) address[2] = 0
  return address
}

/** Sends lines such as `READY=1`. Does nothing without a socket. */
export type Notify = (...lines: string[]) => void

/** `socket` is the value of `NOTIFY_SOCKET`; null without systemd. */
export function createNotify(
  socket: string | null,
  failed: (error: unknown) => void = () => {},
): Notify {
  if (socket === null || process.platform !== 'linux' || !/^[/@]/.test(socket)) return () => {}
  let open: ReturnType<typeof dlopen<typeof SYMBOLS>> | null = null
  for (const library of LIBRARIES) {
    try {
      open = dlopen(library, SYMBOLS)
      break
    } catch (error) {
      if (library === LIBRARIES.at(-1)) failed(error)
    }
  }
  if (open === null) return () => {}
  const { symbols } = open
  const address = addressOf(socket)
  return (...lines) => {
    const message = Buffer.from(lines.join('\n'))
    const fd = symbols.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
    if (fd < 0) return
    symbols.sendto(fd, ptr(message), message.length, 0, ptr(address), address.length)
    symbols.close(fd)
  }
}
