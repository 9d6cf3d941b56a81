/** Delivers mail: immediately, or as a job after the transaction that sends it. */
import { join } from 'node:path'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { service } from '#core/service.ts'
import type { Tx } from '#core/write.ts'
import { createMailer, type Mailer, type Message } from '#lib/mail.ts'
import { timestamp } from '#lib/time.ts'

/**
 * The last delivery error, and the time of the first failure since a message was last delivered.
 */
export type MailFailure = { readonly since: number; readonly error: unknown }

/** The mailer of a forge, and whether its last message was delivered. */
class MailDelivery {
  readonly #mailer: Mailer
  /** Null while the last message of this process was delivered. */
  failure: MailFailure | null = null

  constructor(
    { settings, log }: Hearth,
    private readonly now: () => number,
  ) {
    this.#mailer = createMailer({
      server: settings.mail,
      from: `Hearth <hearth@${new URL(settings.site_url).hostname}>`,
      outbox: join(settings.data, 'outbox'),
      onFirstFile: (directory) =>
        log.info('mail is not set up: messages are written to files', { directory }),
    })
  }

  async deliver(message: Message): Promise<void> {
    const now = this.now()
    try {
      await this.#mailer.send(message, timestamp(now))
      this.failure = null
    } catch (error) {
      // A refused recipient says nothing about the state of the mail server.
      const isRecipientRefused =
        error instanceof Error && 'code' in error && error.code === 'EENVELOPE'
      if (!isRecipientRefused) this.failure = { since: this.failure?.since ?? now, error }
      throw error
    }
  }
}

const mailDelivery = service(
  'mail delivery',
  (hearth) => new MailDelivery(hearth, () => hearth.clock.now()),
)

/** The current delivery failure. Null while the last message of this process was delivered. */
export const mailFailure = (hearth: Hearth): MailFailure | null => mailDelivery(hearth).failure

/** Sends a message immediately. For jobs whose message contains a secret. */
export const deliverMail = (hearth: Hearth, message: Message): Promise<void> =>
  mailDelivery(hearth).deliver(message)

export const MAIL_RETRY_DELAYS = ['10s', '1m', '10m', '1h', '4h'] as const

/** Delivers a message that contains no secret. */
export const sendMessage = job<Message>({
  kind: 'send_mail',
  retry: MAIL_RETRY_DELAYS,
  run: ({ hearth }, message) => deliverMail(hearth, message),
})

/**
 * Sends a message after the transaction has committed. It waits in the jobs table, so it must not
 * contain a secret.
 */
export const enqueueMail = (tx: Tx, message: Message): void => void tx.enqueue(sendMessage, message)
