/**
 * Opens the listener of `serve` as the configuration says: a port, a Unix socket, or a socket of
 * systemd; encrypted or not.
 */
import { AcmeCertificate, ALPN_CHALLENGE } from '#src/acme-certificate.ts'
import { VERSION, type Config, type TlsConfig } from '#src/config.ts'
import { readCertificate, watchCertificate } from '#http/listener/certificate-files.ts'
import { startFronted } from '#http/listener/fronted-server.ts'
import { startServer, type RunningServer } from '#http/server.ts'
import type { Log } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import { connect } from 'node:net'
import { rmSync, statSync } from 'node:fs'
import { CommandError } from './command.ts'

/** The first descriptor of systemd's sockets (sd_listen_fds(3)). */
const FIRST_SOCKET_FD = 3

/** The certificates of a listener. */
export type Certificates = {
  /** The response to an http-01 challenge. */
  readonly tokenResponse: (token: string) => string | null
  /** Starts watching or renewing them, once requests are answered. */
  start(): void
  stop(): void
}

export type Listener = { readonly server: RunningServer; readonly certificates: Certificates }

const NO_CERTIFICATES: Certificates = {
  tokenResponse: () => null,
  start: () => {},
  stop: () => {},
}

type SocketOrPort = Parameters<typeof startFronted>[0]['on']

/** Removes the socket file of a killed process. Throws CommandError when it is in use. */
async function freeSocket(path: string): Promise<void> {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isSocket()) throw new CommandError(`${path} is there and is not a socket`)
  const isInUse = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true))
    probe.on('error', () => resolve(false))
    probe.on('connect', () => probe.destroy())
  })
  if (isInUse) throw new CommandError(`somebody listens on ${path} already`)
  rmSync(path)
}

/** Opens a port with `open`. Throws CommandError with the way out when it is in use. */
export async function openPort<T>(
  { host, port }: Config['listen'],
  open: () => T | Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EADDRINUSE') throw error
    throw new CommandError(
      `port ${port} of ${host} is in use: stop the program that listens there, or choose another port, such as --listen ${host}:${port + 1}`,
    )
  }
}

/** Throws CommandError for an address that cannot be opened, and for unusable certificates. */
export function listen(config: Config, log: Log): Promise<Listener> {
  return openPort(config.listen, () => openListener(config, log))
}

async function openListener(config: Config, log: Log): Promise<Listener> {
  const { tls, supervisor } = config
  const { host, port, unix } = config.listen
  const on = supervisor.sockets > 0 ? { fd: FIRST_SOCKET_FD } : { host, port }
  if (supervisor.sockets > 1)
    log.warn('systemd handed over several sockets, of which the first is used', {
      sockets: supervisor.sockets,
    })
  if (unix !== null && (tls.files || tls.acme))
    throw new CommandError(
      'a socket of this machine is not encrypted: take tls and acme out, or listen on a port',
    )
  if (tls.files) return await listenWithFiles(tls.files, on, log)
  if (tls.acme) return await listenWithAcme(tls.acme, config.data, on, log)
  if (supervisor.sockets > 0)
    return {
      server: await startFronted({ on, log, certificate: null }),
      certificates: NO_CERTIFICATES,
    }
  if (unix !== null) await freeSocket(unix)
  return {
    server: startServer({ host, port, log, ...(unix === null ? {} : { unix }) }),
    certificates: NO_CERTIFICATES,
  }
}

async function listenWithFiles(
  files: NonNullable<TlsConfig['files']>,
  on: SocketOrPort,
  log: Log,
): Promise<Listener> {
  const certificate = await readCertificate(files).catch((error: unknown) => {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  })
  const server = await startFronted({ on, log, certificate })
  let stopWatching = (): void => {}
  return {
    server,
    certificates: {
      tokenResponse: () => null,
      start: () => {
        const replace = (changed: typeof certificate) => server.replaceCertificate(changed)
        stopWatching = watchCertificate(files, certificate, replace, log)
      },
      stop: () => stopWatching(),
    },
  }
}

async function listenWithAcme(
  acme: NonNullable<TlsConfig['acme']>,
  data: string,
  on: SocketOrPort,
  log: Log,
): Promise<Listener> {
  const certificate = new AcmeCertificate(acme, { data, version: VERSION }, log, systemClock)
  const challenge =
    acme.challenge === 'tls-alpn-01'
      ? { protocol: ALPN_CHALLENGE, target: () => certificate.alpnPort() }
      : undefined
  const server = await startFronted({
    on,
    log,
    certificate: certificate.initial,
    ...(challenge ? { challenge } : {}),
  })
  return {
    server,
    certificates: {
      tokenResponse: (token) => certificate.tokenResponse(token),
      start: () => certificate.start((changed) => server.replaceCertificate(changed)),
      stop: () => certificate.stop(),
    },
  }
}
