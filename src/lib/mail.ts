/**
 * Mail: plain-text messages to one recipient each, sent by SMTP. Without a mail server a message is
 * written as `<time>-<kind>-<recipient>.eml` into the outbox directory, for the administrator.
 * Files have the text without quoted-printable encoding (7bit or 8bit, RFC 2045 section 2.7),
 * because people and scripts copy links out of them.
 */
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transporter } from 'nodemailer'
import { randomToken } from './hash.ts'
import { lazy } from './lazy.ts'
import { SECOND, type Timestamp } from './time.ts'

/** Loads at the first message. */
const nodemailer = () => import('nodemailer')

export type Message = {
  readonly to: string
  /** A short word for its subject, part of the name of its file. */
  readonly kind: string
  readonly subject: string
  readonly text: string
  /** The display name of the sender. */
  readonly by?: string
  /** Ids without angle brackets (RFC 5322 section 3.6.4), by which mail programs build threads. */
  readonly id?: string
  /** The ids of the messages before it in the thread. */
  readonly answers?: readonly string[]
  /** The list it belongs to (RFC 2919), and the address for unsubscribing by one POST (RFC 8058). */
  readonly list?: {
    readonly id: string
    readonly name: string
    readonly url: string
    readonly unsubscribe: string
  }
  /** A word that mail filters can match. */
  readonly reason?: string
}

export type Mailer = {
  /** Resolves when the server accepted the message, or its file is on disk. */
  send(message: Message, now: Timestamp): Promise<void>
}

export type MailOptions = {
  /** An SMTP address (`smtp://user:password@host:port`) and the sender; null writes files. */
  readonly server: { readonly url: string; readonly from: string } | null
  /** The sender in files. */
  readonly from: string
  readonly outbox: string
  /** Called once, when the first message is written to a file. */
  readonly onFirstFile: (directory: string) => void
}

const TIMEOUTS = {
  connectionTimeout: 20 * SECOND,
  greetingTimeout: 20 * SECOND,
  socketTimeout: 60 * SECOND,
} as const
/** Nothing in a message may make the composer read a file or fetch an address. */
const NO_ACCESS = { disableFileAccess: true, disableUrlAccess: true } as const

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
    const transport = lazy(
      async (): Promise<Transporter> =>
        (await nodemailer()).createTransport({ url: server.url, ...TIMEOUTS, ...NO_ACCESS }),
    )
    return {
      async send(message, now) {
        await (await transport()).sendMail(content(message, now))
      },
    }
  }
  const composer = lazy(async () =>
    (await nodemailer()).createTransport({
      streamTransport: true,
      buffer: true,
      newline: 'unix',
      ...NO_ACCESS,
    }),
  )
  let hasWritten = false
  return {
    async send(message, now) {
      const { message: composed } = await (await composer()).sendMail(content(message, now))
      if (!hasWritten) options.onFirstFile(options.outbox)
      hasWritten = true
      await writeOnce(
        options.outbox,
        `${now.replaceAll(':', '-')}-${fileNamePart(message.kind)}-${fileNamePart(message.to)}`,
        withPlainText(composed.toString(), message.text),
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
    // One-click unsubscribing requires https (RFC 8058 section 3.1).
    if (list.unsubscribe.startsWith('https:'))
      headers['List-Unsubscribe-Post'] = 'List-Unsubscribe=One-Click'
    // Auto-responders must not reply (RFC 3834 section 5).
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

/** A quoted string (RFC 5322 section 3.2.4) on one line. */
const listName = (name: string): string =>
  `"${name.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '')}"`

/** The composed headers with the unencoded text. */
function withPlainText(composed: string, text: string): Uint8Array {
  const headers = composed.slice(0, composed.indexOf('\n\n'))
  const encoding = /^[\x00-\x7f]*$/.test(text) ? '7bit' : '8bit'
  return new TextEncoder().encode(
    `${headers.replace(/^Content-Transfer-Encoding: .*$/m, `Content-Transfer-Encoding: ${encoding}`)}\n\n${text}`,
  )
}

/** A part of a file name. A recipient is user input and must not contain a path. */
const fileNamePart = (text: string): string => text.replace(/[^A-Za-z0-9@+_.-]/g, '_').slice(0, 150)

/** Writes a file that appears complete under its name, and never replaces another. */
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
