/**
 * The SSH server (RFC 4251 to 4254), off unless `ssh.listen` is set. Only public keys sign in, and
 * only git's commands run. ssh2 speaks the protocol; keys are found and signatures verified here.
 */
import { createServer, type Socket } from 'node:net'
import ssh2, { type Connection, type ServerChannel, type Session } from 'ssh2'
import { RIGHTS_INTERVAL_MS } from '#core/access.ts'
import type { Origin } from '#core/audit.ts'
import { eventLoopProbe } from '#core/event-loop.ts'
import type { Hearth, SshCaller } from '#core/hearth.ts'
import { rateCounter } from '#http/rate-limiter.ts'
import { networkOf } from '#lib/net.ts'
import { oneLine } from '#lib/one-line.ts'
import { sshFingerprint } from '#lib/ssh/ssh-key.ts'
import { sshHostKeys } from '#lib/ssh/ssh-host-keys.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { withTimeout } from '#lib/waiting.ts'
import { finish } from './channel.ts'
import { parseSshCommand } from './command.ts'
import { ConnectionLimits } from './connection-limits.ts'
import { FasterCipher } from './faster-cipher.ts'
import { GitSession } from './git-session.ts'
import { answerLater, forgetExchange, watchKeyExchanges } from './key-exchange.ts'
import { KeyRenewal } from './key-renewal.ts'
import { sendWithLittleMemory } from './outgoing-packets.ts'
import { answerPostQuantum, offerPostQuantum } from './post-quantum.ts'
import { isSignedByKey } from './verify-signature.ts'
import { signInTurns } from './work-turns.ts'

export type SshServerOptions = {
  readonly host: string
  readonly port: number
  /** After so many bytes a connection gets new session keys. */
  readonly maxBytesOfKeys?: number
}

export type RunningSshServer = { readonly port: number; stop(): Promise<void> }

const MAX_TRIES = 6
const MAX_SESSIONS = 10
/** Of one person or one deploy key, so that they leave room for others. */
const MAX_CONNECTIONS_OF_CALLER = 128
/** A connection that runs nothing for so long ends; keepalives would hold it open for ever. */
const MAX_IDLE_MS = 10 * MINUTE
const MAX_FAILURES_A_MINUTE = 20
const FAILURE_DELAY_MS = 2 * SECOND
const KEEPALIVE_MS = 30 * SECOND
const MAX_UNANSWERED_KEEPALIVES = 3
const MAX_PROTOCOL_LENGTH = 64
/** A client may take so long to read that its connection ends. */
const CLOSE_TIMEOUT_MS = SECOND
/** Running commands may end for so long when the server stops. */
const STOP_TIMEOUT_MS = 25 * SECOND

/**
 * `curve25519-sha256@libssh.org` comes first, because ssh2 loses the first packet of clients that
 * guess `curve25519-sha256` right (dropbear). chacha20-poly1305 is not in Bun's library. There is
 * no Diffie-Hellman over a group of integers: before anybody has signed in, it would take this
 * thread from 0.7 s (group14) to 38 s (group18) for each connection. NIST's curves are left out,
 * and ssh-audit asks for that; every client in use has Curve25519. `post-quantum.ts` adds one
 * more. `hmac-sha2-256` computes over the plain text, which is weaker, but Dropbear has no other.
 */
const ALGORITHMS: ssh2.Algorithms = {
  kex: ['curve25519-sha256@libssh.org', 'curve25519-sha256'],
  serverHostKey: ['ssh-ed25519'],
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

/** A connection whose key is verified. */
type SignedInConnection = {
  readonly connection: Connection
  readonly socket: Socket | undefined
  readonly keys: KeyRenewal | null
  readonly key: SshCaller
  readonly fingerprint: string
  /** The name that the client gave; git's clients are told to use `git`. */
  readonly username: string
  readonly origin: Origin
  /** Commands that run now. */
  readonly running: Set<Promise<void>>
  /** When the last command ended, or the connection began (`performance.now()`). */
  idleSinceMs: number
}

/** A person, whatever keys are used, or a deploy key. */
const callerOf = ({ id, repo, caller }: SshCaller): string => (repo === null ? caller.id : id)

class SshServer implements RunningSshServer {
  readonly #limits = new ConnectionLimits()
  readonly #sockets = new Map<string, Socket>()
  readonly #signedIn = new Map<Connection, SignedInConnection>()
  readonly #running = new Set<Promise<void>>()
  readonly #git: GitSession
  readonly #signIns = signInTurns()
  readonly #ssh: ssh2.Server
  readonly #listener = createServer((socket) => this.#accept(socket))
  readonly #rightsTimer = setInterval(() => this.#lookAfterConnections(), RIGHTS_INTERVAL_MS)

  constructor(
    private readonly hearth: Hearth,
    private readonly maxBytesOfKeys: number | undefined,
  ) {
    this.#git = new GitSession(hearth)
    const options = {
      hostKeys: sshHostKeys(hearth.settings.data).map(({ privateKey }) => privateKey),
      algorithms: ALGORITHMS,
      ident: 'Hearth',
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: MAX_UNANSWERED_KEEPALIVES,
    }
    this.#ssh = new ssh2.Server(options, (connection, info) =>
      this.#connected(connection, info.ip, info.port, info.header.identRaw),
    )
  }

  async listen(host: string, port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#listener.once('error', reject)
    this.#listener.listen(port, host, resolve)
    await promise
    this.#listener.off('error', reject)
    this.#listener.on('error', (error) =>
      this.hearth.log.warn('the SSH listener had a problem', { error }),
    )
  }

  get port(): number {
    const address = this.#listener.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  async stop(): Promise<void> {
    clearInterval(this.#rightsTimer)
    this.#listener.close()
    await withTimeout(Promise.all(this.#running), STOP_TIMEOUT_MS, () => [])
    for (const connection of this.#signedIn.keys()) connection.end()
    this.#limits.closeAll()
  }

  #accept(socket: Socket): void {
    if (this.hearth.draining.aborted) socket.destroy()
    else this.#limits.admit(socket, () => this.#begin(socket))
  }

  #begin(socket: Socket): void {
    eventLoopProbe(this.hearth).wake()
    const name = `${socket.remoteAddress} ${socket.remotePort}`
    this.#sockets.set(name, socket)
    socket.once('close', () => this.#sockets.delete(name))
    socket.setNoDelay(true)
    this.#ssh.injectSocket(socket)
  }

  #connected(connection: Connection, ip: string, port: number, ident: string): void {
    const socket = this.#sockets.get(`${ip} ${port}`)
    const origin: Origin = {
      request_id: crypto.randomUUID(),
      ip,
      user_agent: oneLine(ident, 200),
    }
    let tries = 0
    // Clients that break off are no problem of ours.
    connection.on('error', () => {})
    if (socket) sendWithLittleMemory(connection, socket)
    offerPostQuantum(connection)
    const fasterCipher = new FasterCipher(connection)
    watchKeyExchanges(connection, (exchange) => {
      answerPostQuantum(connection, exchange)
      answerLater(connection, exchange, (answer) => this.#takeTurn(connection, socket, answer))
      fasterCipher.noteExchange(exchange)
    })
    connection.on('handshake', () => forgetExchange(connection))
    const keys = socket
      ? new KeyRenewal(connection, socket, fasterCipher, this.maxBytesOfKeys)
      : null
    connection.on('authentication', (attempt) => {
      if (++tries > 2 * MAX_TRIES) connection.end()
      else
        this.#takeTurn(connection, socket, () =>
          this.#authenticate({ connection, socket, keys, origin }, attempt),
        )
    })
    connection.on('ready', () => {
      if (socket) this.#limits.signedIn(socket)
    })
    connection.on('session', (accept, reject) => {
      const signedIn = this.#signedIn.get(connection)
      if (!signedIn || this.hearth.draining.aborted) reject()
      else this.#serve(accept(), signedIn)
    })
    connection.on('close', () => this.#signedIn.delete(connection))
  }

  /** Does a part of a sign-in when it is its turn. Like in ssh2, an error ends the connection. */
  #takeTurn(connection: Connection, socket: Socket | undefined, work: () => void): void {
    this.#signIns.run(() => {
      if (socket?.destroyed) return 0
      try {
        work()
      } catch {
        connection.end()
      }
      return 1
    })
  }

  #authenticate(
    opened: Pick<SignedInConnection, 'connection' | 'socket' | 'keys' | 'origin'>,
    attempt: ssh2.AuthContext,
  ): void {
    if (attempt.method !== 'publickey') {
      attempt.reject(['publickey'])
      return
    }
    const { connection, origin } = opened
    const { algo, data } = attempt.key
    const fingerprint = sshFingerprint(data)
    const key = this.hearth.callers.bySshKey(fingerprint)
    const { signature, blob, hashAlgo } = attempt
    const isFirst = signature === undefined || blob === undefined
    const isValid =
      key !== null &&
      Buffer.from(key.key, 'base64').equals(data) &&
      (isFirst || isSignedByKey(key.key, { algorithm: algo, blob, hashAlgo, signature }))
    if (!isValid) {
      this.#refuse(attempt, origin)
      return
    }
    if (this.#countConnectionsOf(key) >= MAX_CONNECTIONS_OF_CALLER) {
      attempt.reject()
      connection.end()
      return
    }
    if (!isFirst)
      this.#signedIn.set(connection, {
        ...opened,
        key,
        fingerprint,
        username: attempt.username,
        running: new Set(),
        idleSinceMs: performance.now(),
      })
    attempt.accept()
  }

  #countConnectionsOf(key: SshCaller): number {
    const caller = callerOf(key)
    return [...this.#signedIn.values()].filter((one) => callerOf(one.key) === caller).length
  }

  /** Refuses at once, and later where many keys are tried. Networks share addresses, so none is banned. */
  #refuse(attempt: ssh2.AuthContext, { ip }: Origin): void {
    const waitSeconds = rateCounter(this.hearth).take({
      key: `ssh ${networkOf(ip) ?? ''}`,
      maxPerWindow: MAX_FAILURES_A_MINUTE,
      windowMs: MINUTE,
    })
    if (waitSeconds === null) attempt.reject(['publickey'])
    else setTimeout(() => attempt.reject(['publickey']), FAILURE_DELAY_MS).unref()
  }

  /**
   * Ends the connections whose key or account is gone, and those that run nothing any more. The
   * others get new session keys when it is time.
   */
  #lookAfterConnections(): void {
    const idleBeforeMs = performance.now() - MAX_IDLE_MS
    // Many connections of one key are usual, and each look at a key is several queries.
    const idByFingerprint = new Map<string, string | undefined>()
    const idOf = (fingerprint: string): string | undefined => {
      if (!idByFingerprint.has(fingerprint))
        idByFingerprint.set(fingerprint, this.hearth.callers.bySshKey(fingerprint)?.id)
      return idByFingerprint.get(fingerprint)
    }
    for (const signedIn of this.#signedIn.values()) {
      const { key, keys, fingerprint, running, idleSinceMs } = signedIn
      const isIdle = running.size === 0 && idleSinceMs < idleBeforeMs
      if (isIdle || idOf(fingerprint) !== key.id) this.#close(signedIn)
      else keys?.renewOutdated()
    }
  }

  /** Says so to the client, and hangs up on one that does not read it. */
  #close({ connection, socket }: SignedInConnection): void {
    connection.end()
    setTimeout(() => socket?.destroy(), CLOSE_TIMEOUT_MS).unref()
  }

  #serve(session: Session, signedIn: SignedInConnection): void {
    let protocol: string | null = null
    session.on('env', (accept, _, { key, val }) => {
      if (key === 'GIT_PROTOCOL' && val.length <= MAX_PROTOCOL_LENGTH) protocol = val
      accept?.()
    })
    session.on('pty', (_, reject) => reject?.())
    session.on('shell', (accept) => this.#greet(accept(), signedIn))
    session.on('exec', (accept, _, { command }) => {
      const run = this.#run(accept(), signedIn, command, protocol).finally(() => {
        this.#running.delete(run)
        signedIn.running.delete(run)
        signedIn.idleSinceMs = performance.now()
      })
      this.#running.add(run)
      signedIn.running.add(run)
    })
  }

  #greet(channel: ServerChannel, { key }: SignedInConnection): void {
    const who =
      key.repo === null
        ? `Hi ${key.caller.username}! You are signed in`
        : `Hi! This is the deploy key ${key.caller.token?.name ?? ''} of ${key.repo}`
    finish(channel, 1, `${who}; there is no shell here. Use git clone, fetch and push.`)
  }

  async #run(
    channel: ServerChannel,
    signedIn: SignedInConnection,
    text: string,
    protocol: string | null,
  ): Promise<void> {
    channel.on('error', () => {})
    eventLoopProbe(this.hearth).wake()
    const command = parseSshCommand(text)
    // The rights of now, not those at the sign-in.
    const caller = this.hearth.callers.byCredential(signedIn.key.id)
    if (caller === null || caller.kind === 'anonymous') {
      finish(channel, 1, 'hearth: this key has been removed')
      signedIn.connection.end()
    } else if (signedIn.username !== 'git') {
      const name = oneLine(signedIn.username, 60)
      finish(channel, 1, `hearth: sign in as git, not as ${name}: git@…`)
    } else if (signedIn.running.size >= MAX_SESSIONS)
      finish(channel, 1, 'hearth: too many commands run already; try again in a moment')
    else if (command.kind === 'unknown') {
      const name = oneLine(command.name, 60)
      if (name === 'git-upload-archive')
        finish(channel, 1, 'hearth: git archive works in a clone; the website has archives, too')
      else if (name === 'git-lfs-transfer') finish(channel, 1, null)
      else this.#greet(channel, signedIn)
    } else {
      const { origin, keys } = signedIn
      const onProgress = (): void => keys?.progressed()
      await this.#git.run({ caller, channel, protocol, origin, onProgress }, command)
    }
  }
}

/** Starts to serve. Throws the error of the listener when the port cannot be opened. */
export async function startSshServer(
  hearth: Hearth,
  { host, port, maxBytesOfKeys }: SshServerOptions,
): Promise<RunningSshServer> {
  const server = new SshServer(hearth, maxBytesOfKeys)
  await server.listen(host, port)
  return server
}
