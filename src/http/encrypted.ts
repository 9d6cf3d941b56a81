/**
 * The listener with encryption of its own. The runtime cannot change the certificate of an open
 * port, and closing the port, however briefly, refuses people. So a front keeps the port, and the
 * listener behind it is replaced.
 */
import type { Certificate } from './certificate-files.ts'
import { openFront, type FrontOptions } from './front.ts'
import { startServer, type ListenOptions, type RunningServer } from './server.ts'

type Options = Omit<ListenOptions, 'host' | 'port' | 'unix' | 'tls' | 'behind'> &
  Pick<FrontOptions, 'on' | 'challenge'> & { readonly certificate: Certificate | null }

/** Listens behind a front; without a certificate it is for sockets that were opened by others. */
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
    behind: (port) => front.addressOf(port),
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
    open: (hearth, doors) => server.open(hearth, doors),
    replaceCertificate: (next) => server.replaceCertificate(next),
    stop() {
      front.close()
      return server.stop()
    },
  }
}
