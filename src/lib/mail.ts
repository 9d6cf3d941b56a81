/**
 * Mail: one plain-text message to one person, by SMTP, or without a server as a file
 * `<time>-<kind>-<recipient>.eml` in the outbox directory, where whoever runs the forge finds it.
 * In a file the text stands as it was written (7 or 8 bits a character, RFC 2045 section 2.7),
 * because people and scripts copy links out of it; quoted-printable would break them.
 */
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport, type Transporter } from 'nodemailer'
import { randomToken } from './hash.ts'
import type { Timestamp } from './time.ts'

export type Message = {
  readonly to: string
  /** A short word for what it is about; part of the file's name. */
  readonly kind: string
  readonly subject: string
  readonly text: string
  /** Who it is from, before the sender's address. */
  readonly by?: string
  /**
   * Ids (RFC 5322 section 3.6.4) without their angle brackets, so that programs show a conversation
   * in one place.
   */
  readonly id?: string
  readonly answers?: readonly string[]
  /**
   * What it is sent to many for (RFC 2919), and how to hear no more of it (RFC 8058: a post to that
   * address without a question).
   */
  readonly list?: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly unsubscribe: string
  }
  /** A word for filters. */
  readonly reason?: string
}

export type Mailer = {
  /** Resolves when the server has taken it, or the file is on disk. */
  send(message: Message, now: Timestamp): Promise<void>
}

export type MailOptions = {
  /** An SMTP address (`smtp://user:password@host:port`) and the sender; null writes files. */
  readonly server: { readonly url: string; readonly from: string } | null
  /** The sender in files. */
  readonly from: string
  readonly outbox: string
  /** Told once, when the first message is written to a file. */
  readonly firstFile: (directory: string) => void
}

const SECONDS = 1000
const LIMITS = {
  connectionTimeout: 20 * SECONDS,
  greetingTimeout: 20 * SECONDS,
  socketTimeout: 60 * SECONDS,
} as const
/**
 * A message is text that we wrote: nothing in it may make the composer read a file or fetch an
 * address.
 */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true } as const

export function createMailer(options: MailOptions): Mailer {
  const { server } = options
  const from = server?.from ?? options.from
  const content = (message: Message, now: Timestamp) => ({
    from:
      message.by === undefined
        ? from
        : { name: message.by, address: /<([^<>]*)>\s*$/.exec(from)?.[1] ?? from },
    to: message.to,
    subject: message.subject,
    text: message.text,
    date: new Date(now),
    ...conversation(message),
  })
  if (server) {
    const transport: Transporter = createTransport({ url: server.url, ...LIMITS, ...CLOSED })
    return { send: async (message, now) => void (await transport.sendMail(content(message, now))) }
  }
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'unix',
    ...CLOSED,
  })
  let told = false
  return {
    async send(message, now) {
      const { message: composed } = await composer.sendMail(content(message, now))
      if (!told) options.firstFile(options.outbox)
      told = true
      await writeOnce(
        options.outbox,
        `${now.replaceAll(':', '-')}-${safe(message.kind)}-${safe(message.to)}`,
        asWritten(composed.toString(), message.text),
      )
    },
  }
}

const bracketed = (id: string): string => `<${id}>`

/** The headers of a message that belongs to a conversation, or to a list. */
function conversation({ id, answers = [], list, reason }: Message) {
  const headers: Record<string, string | { prepared: true; value: string }> = {}
  if (reason !== undefined) headers['X-Hearth-Reason'] = reason
  if (list) {
    headers['List-Id'] = { prepared: true, value: `${listName(list.name)} <${list.id}>` }
    headers['List-Archive'] = { prepared: true, value: bracketed(list.url) }
    headers['List-Unsubscribe'] = { prepared: true, value: bracketed(list.unsubscribe) }
    // Only an address that nobody on the way can read may be posted to without a question (RFC 8058
    // section 3.1).
    if (list.unsubscribe.startsWith('https:'))
      headers['List-Unsubscribe-Post'] = 'List-Unsubscribe=One-Click'
    // So that nothing answers on its own (RFC 3834 section 5).
    headers['Auto-Submitted'] = 'auto-generated'
    headers.Precedence = 'list'
  }
  return {
    headers,
    ...(id === undefined ? {} : { messageId: bracketed(id) }),
    ...(answers.length === 0
      ? {}
      : { inReplyTo: bracketed(answers.at(-1) ?? ''), references: answers.map(bracketed) }),
  }
}

/** A phrase as RFC 5322 has it, on one line. */
const listName = (name: string): string =>
  `"${name.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '')}"`

/** The composed headers with the text as it is. */
function asWritten(composed: string, text: string): Uint8Array {
  const headers = composed.slice(0, composed.indexOf('\n\n'))
  const encoding = /^[\x00-\x7f]*$/.test(text) ? '7bit' : '8bit'
  return new TextEncoder().encode(
    `${headers.replace(/^Content-Transfer-Encoding: .*$/m, `Content-Transfer-Encoding: ${encoding}`)}\n\n${text}`,
  )
}

/** A recipient comes from strangers: nothing of it may leave the directory. */
const safe = (text: string): string => text.replace(/[^A-Za-z0-9@+_.-]/g, '_').slice(0, 150)

/** The file appears under its name only when all of it is on disk, and never replaces another. */
async function writeOnce(directory: string, name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const partial = join(directory, `.${randomToken(9)}.partial`)
  const file = await open(partial, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    for (let copy = 1; ; copy++) {
      try {
        await link(partial, join(directory, copy === 1 ? `${name}.eml` : `${name}-${copy}.eml`))
        return
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
  } finally {
    await unlink(partial)
  }
}
