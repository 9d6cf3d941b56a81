/**
 * A server behind a TCP front. The runtime cannot change the certificate of an open port, and a
 * closed port refuses connections, however short the time. So the front keeps the port, and the
 * server behind it is replaced. The front also serves sockets that systemd has opened.
 */

import { type ListenOptions, type RunningServer, startServer } from '../server.ts'
import type { Certificate } from './certificate-files.ts'
import { type FrontOptions, openFront } from './tcp-front.ts'

type Options = Omit<ListenOptions, 'host' | 'port' | 'unix' | 'tls' | 'clientAddressOf'> &
  Pick<FrontOptions, 'on' | 'challenge'> & { readonly certificate: Certificate | null }

/** Without a certificate, connections are not encrypted. */
export async function startFronted({
  on,
  challenge,
  certificate,
  ...options
}: Options): Promise<RunningServer> {
  const server: RunningServer = startServer({
    ...options,
    host: '127.0.0.1',
    port: 0,
    ...(certificate ? { tls: certificate } : {}),
    clientAddressOf: (port) => front.addressOf(port),
  })
  const front = await openFront({
    on,
    target: () => server.port,
    log: options.log,
    ...(challenge ? { challenge } : {}),
  }).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  return {
    url: `${certificate ? 'https' : 'http'}://localhost:${front.port}`,
    port: front.port,
    open: (hearth, fallbacks) => server.open(hearth, fallbacks),
    replaceCertificate: (next) => server.replaceCertificate(next),
    stop() {
      front.close()
      return server.stop()
    },
  }
}
