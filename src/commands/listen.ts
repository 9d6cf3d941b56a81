/**
 * Opens what `serve` listens on, as the configuration says: a port, a socket of the machine, or
 * what systemd hands over; encrypted or not.
 */
import { keepCertificate, ALPN_CHALLENGE } from '#src/tls.ts'
import { VERSION, type Config } from '#src/config.ts'
import { readCertificate, watchCertificate } from '#http/certificate-files.ts'
import { startFronted } from '#http/encrypted.ts'
import { startServer, type RunningServer } from '#http/server.ts'
import type { Log } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import { connect } from 'node:net'
import { rmSync, statSync } from 'node:fs'
import { CommandError } from './command.ts'

/** The first descriptor that systemd hands over (sd_listen_fds(3)). */
const FIRST_SOCKET = 3

export type Certificates = {
  /** What is shown at the address of a challenge. */
  readonly tokenAnswer: (token: string) => string | null
  /** Begins to look after them, once requests are answered. */
  start(): void
  stop(): void
}

const none: Certificates = { tokenAnswer: () => null, start: () => {}, stop: () => {} }

/** A socket file that nobody listens on is what a killed process left. */
async function freeSocket(path: string): Promise<void> {
  const there = statSync(path, { throwIfNoEntry: false })
  if (!there) return
  if (!there.isSocket()) throw new CommandError(`${path} is there and is not a socket`)
  const taken = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true))
    probe.on('error', () => resolve(false))
    probe.on('connect', () => probe.destroy())
  })
  if (taken) throw new CommandError(`somebody listens on ${path} already`)
  rmSync(path)
}

/**
 * Gives CommandError for what cannot be listened on, and for certificate files that cannot be used.
 */
export async function listen(
  config: Config,
  log: Log,
): Promise<{ server: RunningServer; certificates: Certificates }> {
  const {
    tls,
    supervisor,
    listen: { host, port, unix },
  } = config
  const on = supervisor.sockets > 0 ? { fd: FIRST_SOCKET } : { host, port }
  if (supervisor.sockets > 1)
    log.warn('systemd handed over several sockets, of which the first is used', {
      sockets: supervisor.sockets,
    })
  if (unix !== null && (tls.files || tls.acme))
    throw new CommandError(
      'a socket of this machine is not encrypted: take tls and acme out, or listen on a port',
    )
  if (tls.files) {
    const { files } = tls
    const certificate = await readCertificate(files).catch((error: unknown) => {
      throw new CommandError(error instanceof Error ? error.message : String(error))
    })
    const server = await startFronted({ on, log, certificate })
    let end = (): void => {}
    return {
      server,
      certificates: {
        tokenAnswer: () => null,
        start: () =>
          void (end = watchCertificate(
            files,
            certificate,
            (now) => server.replaceCertificate(now),
            log,
          )),
        stop: () => end(),
      },
    }
  }
  if (tls.acme) {
    const keeper = keepCertificate(
      tls.acme,
      { settings: { data: config.data, version: VERSION } },
      { log, clock: systemClock },
    )
    const challenge =
      tls.acme.challenge === 'tls-alpn-01'
        ? { protocol: ALPN_CHALLENGE, target: keeper.alpnPort }
        : undefined
    const server = await startFronted({
      on,
      log,
      certificate: keeper.first,
      ...(challenge ? { challenge } : {}),
    })
    return {
      server,
      certificates: {
        tokenAnswer: keeper.tokenAnswer,
        start: () => keeper.start((now) => server.replaceCertificate(now)),
        stop: keeper.stop,
      },
    }
  }
  if (supervisor.sockets > 0)
    return { server: await startFronted({ on, log, certificate: null }), certificates: none }
  if (unix !== null) {
    await freeSocket(unix)
    return { server: startServer({ host, port, unix, log }), certificates: none }
  }
  return { server: startServer({ host, port, log }), certificates: none }
}
