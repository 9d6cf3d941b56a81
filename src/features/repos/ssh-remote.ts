/**
 * Git repositories on other servers over SSH: addresses, and the transport that runs git's commands
 * there. A connection is opened at the first request and closed when none came for a while.
 */
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import { commandTransport, RemoteError, type RunningCommand, type Transport } from '#git'
import { oneLine } from '#lib/one-line.ts'
import { OutboundError, ResponseTooLong } from '#lib/outbound/outbound.ts'
import { inputOf } from '#lib/ssh/channel-input.ts'
import { ChannelWatch, type ChannelFault, type ChannelLimits } from '#lib/ssh/channel-watch.ts'
import { SshClientError, SshConnection, type SshChannel } from '#lib/ssh/ssh-client.ts'
import { HOUR, MINUTE, SECOND } from '#lib/time.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'

const SSH_PORT = 22
const IDLE_MS = 10 * SECOND
/** A machine that does not confirm by then that a command was stopped is left. */
const STOP_MS = 2 * SECOND
/** The same as over HTTP. */
const SILENCE_MS = 2 * MINUTE
const TOTAL_MS = 6 * HOUR
const EXTRA_BYTES = 512 << 20
const MAX_COMPLAINT = 300
const MAX_ANSWER_BYTES = 64 << 10

type SettingsOwner = Pick<Hearth, 'settings'>

/** The key that signs in, and the host that may see it. */
export type SshAccess = {
  /** In OpenSSH's format. */
  readonly privateKey: string
  /** The fingerprint of the only host key that is accepted; null before the first contact. */
  readonly hostKey: string | null
  /** Called at the first contact. */
  readonly onHostKey: (fingerprint: string) => void
}

export const isSshAddress = (text: string): boolean =>
  /^ssh:/i.test(text.trim()) || /^[\w.-]+@[^/:]+:(?!\/\/)/.test(text.trim())

/** Decodes a part of an address; null for what is no text. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Whether a path, decoded, can stand between quotes in a command of the remote. */
const isQuotable = (path: string): boolean => !/['\\\0\n\r]/.test(decoded(path) ?? "'")

/**
 * Parses `ssh://git@host:port/path` and `git@host:path`. Throws OutboundError with the problem.
 */
export function parseSshRemote(text: string): URL {
  const short = /^([\w.-]+)@([^/:]+):(?!\/\/)\/?(.+)$/.exec(text.trim())
  const url = URL.parse(short ? `ssh://${short[1]}@${short[2]}/${short[3]}` : text.trim())
  const fault =
    url?.protocol !== 'ssh:' || url.hostname === ''
      ? 'it must be an address such as ssh://git@example.com/acme/site.git'
      : url.password !== ''
        ? 'an address must not hold a password: this service signs in with a key'
        : url.search !== '' || url.hash !== ''
          ? 'the address of a repository has no ? or #'
          : url.pathname.length < 2 || !isQuotable(url.pathname)
            ? 'the path of the repository is missing, or has characters that it cannot have'
            : decoded(url.username) === null
              ? 'the name before the @ is no text'
              : null
  if (!url || fault !== null) throw new OutboundError(fault ?? 'no address', 'blocked_address')
  if (url.username === '') url.username = 'git'
  url.pathname = trimTrailingSlashes(url.pathname)
  return url
}

/** What the rules of `outbound.allow` say of the host. */
const asHttps = ({ hostname }: URL): URL => new URL(`https://${hostname}/`)

/** Throws OutboundError when the settings do not allow the address. */
export async function checkSshRemote(hearth: SettingsOwner, url: string): Promise<void> {
  await outboundClient(hearth).checkAddress(asHttps(parseSshRemote(url)))
}

/** One connection, shared by the requests that come close together. */
class SharedConnection {
  #opened: Promise<SshConnection> | null = null
  #users = 0
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(
    private readonly hearth: SettingsOwner,
    private readonly url: URL,
    private readonly access: SshAccess,
    private readonly limits: ChannelLimits,
  ) {}

  async run(command: string, protocol: string | null): Promise<RunningCommand> {
    this.#users++
    if (this.#timer) clearTimeout(this.#timer)
    try {
      const connection = await this.#open()
      const channel = await connection.run(
        command,
        protocol === null ? {} : { GIT_PROTOCOL: protocol },
      )
      channel.once('close', () => this.#release())
      return commandOn(connection, channel, this.url.host, this.limits)
    } catch (error) {
      this.#release()
      throw asRemoteFault(error)
    }
  }

  async #open(): Promise<SshConnection> {
    const last = this.#opened
    const connection = await last?.catch(() => null)
    if (connection?.isOpen) return connection
    // Requests that come together share one attempt, because only the last one would be closed.
    if (this.#opened === null || this.#opened === last) this.#opened = this.#connect()
    return await this.#opened
  }

  async #connect(): Promise<SshConnection> {
    const { hearth, url, access } = this
    const { address } = await outboundClient(hearth).checkAddress(asHttps(url))
    return await SshConnection.open({
      host: url.host,
      address,
      port: url.port === '' ? SSH_PORT : Number(url.port),
      username: decodeURIComponent(url.username),
      privateKey: access.privateKey,
      isRightHost: (fingerprint) => access.hostKey === null || access.hostKey === fingerprint,
      onHostProven: (fingerprint) => {
        if (access.hostKey === null) access.onHostKey(fingerprint)
      },
    })
  }

  #release(): void {
    if (--this.#users > 0) return
    this.#timer = setTimeout(() => void this.#close(), IDLE_MS)
    this.#timer.unref()
  }

  async #close(): Promise<void> {
    const opened = this.#opened
    this.#opened = null
    ;(await opened?.catch(() => null))?.close()
  }
}

/** Faults of the network become those of the outbound client, so that they count as an outage. */
function asRemoteFault(error: unknown): unknown {
  if (!(error instanceof SshClientError)) return error
  if (error.fault === 'unreachable') return new OutboundError(error.message, 'refused')
  return new RemoteError('invalid', error.message, error.fault === 'sign_in' ? 401 : null)
}

const limitsOf = ({ settings }: SettingsOwner): ChannelLimits => ({
  idleMs: SILENCE_MS,
  totalMs: TOTAL_MS,
  maxBytes: settings.git.max_pack_bytes + EXTRA_BYTES,
})

function faultOf(fault: ChannelFault, host: string, limits: ChannelLimits): OutboundError {
  if (fault === 'long') return new ResponseTooLong(`${host} sends more than is taken`)
  const text =
    fault === 'silent'
      ? `was silent for ${limits.idleMs / SECOND} seconds`
      : `took longer than ${limits.totalMs / SECOND} seconds`
  return new OutboundError(`${host} ${text}`, 'timeout')
}

/** What a command says on its error output, once it has ended. */
function complaintOf(channel: SshChannel): Promise<string | null> {
  let said = ''
  channel.stderr.on('data', (chunk: Uint8Array) => {
    if (said.length < MAX_COMPLAINT) said += Buffer.from(chunk).toString('utf8')
  })
  return new Promise((resolve) => {
    channel.once('close', () => {
      const text = oneLine(said.trim(), MAX_COMPLAINT)
      resolve(text === '' ? null : text)
    })
  })
}

function commandOn(
  connection: SshConnection,
  channel: SshChannel,
  host: string,
  limits: ChannelLimits,
): RunningCommand {
  let fault: OutboundError | null = null
  const output = inputOf(channel, () => fault)
  const complaint = complaintOf(channel)
  const watch = new ChannelWatch(channel, limits, (found) => {
    fault = faultOf(found, host, limits)
    connection.close()
  })
  channel.on('error', () => {})
  return {
    output,
    complaint,
    write: (bytes) => watch.writing(writeTo(channel, bytes)),
    end: () => void channel.end(),
    stop: () => {
      channel.close()
      const timer = setTimeout(() => connection.close(), STOP_MS)
      channel.once('close', () => clearTimeout(timer))
    },
  }
}

async function writeTo(channel: SshChannel, bytes: Uint8Array): Promise<void> {
  const gone = (): RemoteError => new RemoteError('invalid', 'the remote ended the connection')
  if (!channel.writable) throw gone()
  if (channel.write(Buffer.from(bytes))) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const close = (): void => reject(gone())
  channel.once('drain', resolve)
  channel.once('close', close)
  try {
    await promise
  } finally {
    channel.off('drain', resolve)
    channel.off('close', close)
  }
}

/** The path without a quote, which `parseSshRemote` refuses. */
const quoted = (url: URL): string => `'${decodeURIComponent(url.pathname)}'`

export function sshTransport(
  hearth: SettingsOwner,
  address: string,
  access: SshAccess,
  limits: ChannelLimits = limitsOf(hearth),
): Transport {
  const url = parseSshRemote(address)
  const shared = new SharedConnection(hearth, url, access, limits)
  return commandTransport((service, protocol) => shared.run(`${service} ${quoted(url)}`, protocol))
}

export type LfsAccess = {
  readonly href: string
  readonly header: Readonly<Record<string, unknown>>
}

/**
 * Where the large files of a repository are (git-lfs, docs/api/server-discovery.md, "SSH"). Null
 * when the server has no such command.
 */
export async function askLfsAccess(
  hearth: SettingsOwner,
  address: string,
  access: SshAccess,
  operation: 'download' | 'upload',
): Promise<LfsAccess | null> {
  const url = parseSshRemote(address)
  const path = decodeURIComponent(url.pathname).replace(/^\//, '')
  const shared = new SharedConnection(hearth, url, access, limitsOf(hearth))
  const command = await shared.run(`git-lfs-authenticate '${path}' ${operation}`, null)
  command.end()
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of command.output) {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) break
      parts.push(chunk)
    }
  } finally {
    command.stop()
  }
  try {
    const answer = JSON.parse(Buffer.concat(parts).toString()) as Partial<LfsAccess>
    return typeof answer.href === 'string'
      ? { href: answer.href, header: answer.header ?? {} }
      : null
  } catch {
    return null
  }
}
