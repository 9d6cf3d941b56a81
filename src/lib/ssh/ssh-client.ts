/**
 * Commands on other machines over SSH, with a key and with a host key that is checked. The address
 * was checked before; its name is not resolved again. ssh2 is loaded when it is first needed.
 */
import { connect, type Socket } from 'node:net'
import type { Algorithms, Client, ClientChannel } from 'ssh2'
import { SECOND } from '../time.ts'
import { limitEarlyBytes } from './early-bytes.ts'
import { sshFingerprint } from './ssh-key.ts'

export type SshChannel = ClientChannel

const CONNECT_TIMEOUT_MS = 20 * SECOND
/** Lines before the identification, the exchange of keys and the sign-in take a few KiB. */
const MAX_BYTES_OF_SIGN_IN = 256 * 1024
const KEEPALIVE_MS = 30 * SECOND
const MAX_UNANSWERED_KEEPALIVES = 3

/** Without Diffie-Hellman over integers, which takes this thread up to 38 s for each connection. */
const ALGORITHMS: Algorithms = {
  kex: [
    'curve25519-sha256@libssh.org',
    'curve25519-sha256',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
  ],
  serverHostKey: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-ctr',
    'aes192-ctr',
    'aes256-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256'],
  compress: ['none'],
}

/** unreachable: nobody answers, or the connection ends. */
export type SshFault = 'unreachable' | 'host_key' | 'sign_in' | 'protocol'

export class SshClientError extends Error {
  constructor(
    readonly fault: SshFault,
    message: string,
  ) {
    super(message)
    this.name = 'SshClientError'
  }
}

export type SshTarget = {
  /** For messages. */
  readonly host: string
  readonly address: string
  readonly port: number
  readonly username: string
  /** In OpenSSH's format. */
  readonly privateKey: string
  /** Whether the host is the right one, by the fingerprint of its key. */
  readonly isRightHost: (fingerprint: string) => boolean
  /** Called once the host has proven to have that key, before the sign-in. */
  readonly onHostProven: (fingerprint: string) => void
}

export class SshConnection {
  #failure: SshClientError | null = null

  private constructor(
    private readonly target: SshTarget,
    private readonly client: Client,
    private readonly socket: Socket,
  ) {}

  /** Throws SshClientError. */
  static async open(target: SshTarget): Promise<SshConnection> {
    const { default: ssh2 } = await import('ssh2')
    const client = new ssh2.Client()
    const socket = connect({ host: target.address, port: target.port })
    const connection = new SshConnection(target, client, socket)
    try {
      await connection.#signIn()
    } catch (error) {
      connection.close()
      throw error
    }
    return connection
  }

  #signIn(): Promise<void> {
    const { target, client, socket } = this
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let wrongHost: SshClientError | null = null
    let shown = ''
    const fail = (error: Error & { readonly level?: string }): void => {
      this.#failure ??= wrongHost ?? describe(target, error)
      reject(this.#failure)
    }
    const endLimit = limitEarlyBytes(socket, MAX_BYTES_OF_SIGN_IN)
    client.on('ready', () => {
      endLimit()
      resolve()
    })
    client.once('handshake', () => target.onHostProven(shown))
    client.on('error', fail)
    client.on('close', () => fail(new Error('the connection was closed')))
    socket.on('error', fail)
    client.connect({
      sock: socket,
      username: target.username,
      privateKey: target.privateKey,
      authHandler: ['publickey'],
      algorithms: ALGORITHMS,
      ident: 'Hearth',
      readyTimeout: CONNECT_TIMEOUT_MS,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: MAX_UNANSWERED_KEEPALIVES,
      hostVerifier: (key: Uint8Array): boolean => {
        shown = sshFingerprint(key)
        if (target.isRightHost(shown)) return true
        wrongHost = new SshClientError(
          'host_key',
          `${target.host} shows another host key than before: ${shown}`,
        )
        return false
      },
    })
    return promise
  }

  /** Starts a command. Throws SshClientError when the connection has ended. */
  async run(command: string, env: Readonly<Record<string, string>>): Promise<ClientChannel> {
    if (this.#failure) throw this.#failure
    const { promise, resolve, reject } = Promise.withResolvers<ClientChannel>()
    const end = (): void => reject(this.#failure ?? describe(this.target, new Error('it ended')))
    this.client.once('close', end)
    const timer = setTimeout(() => this.close(), CONNECT_TIMEOUT_MS)
    try {
      this.client.exec(command, { env: { ...env } }, (error, channel) =>
        error ? reject(new SshClientError('protocol', error.message)) : resolve(channel),
      )
      return await promise
    } catch (error) {
      throw error instanceof SshClientError ? error : describe(this.target, error as Error)
    } finally {
      clearTimeout(timer)
      this.client.off('close', end)
    }
  }

  get isOpen(): boolean {
    return this.#failure === null
  }

  close(): void {
    this.client.end()
    this.socket.destroy()
  }
}

function describe({ host }: SshTarget, error: Error & { readonly level?: string }): SshClientError {
  if (error.level === 'client-authentication')
    return new SshClientError('sign_in', `${host} does not accept the key of this mirror`)
  if (error.level === 'handshake' || error.level === 'protocol')
    return new SshClientError(
      'protocol',
      `${host} could not agree on a connection: ${error.message}`,
    )
  return new SshClientError('unreachable', `${host} cannot be reached over SSH: ${error.message}`)
}
