/**
 * The messages of accounts. Who gets one is found out by the job, not by the request: so answering
 * takes the same time whether or not an address has an account. Links are made by the job too, so
 * their secrets are in no table.
 */
import { job } from '#core/jobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { createMailer, type Mailer, type Message } from '#lib/mail.ts'
import { HOUR, timestamp } from '#lib/time.ts'
import { join } from 'node:path'
import { makeLink } from './proofs.ts'
import { countProofs, type ProofKind } from './store-proofs.ts'
import { findConfirmed, findEmail, findUserById, listClaims } from './store.ts'

/**
 * More links than this for one account in an hour are not made: nobody needs them, and strangers
 * could fill a mailbox.
 */
const MOST_LINKS_AN_HOUR = 5

const mailers = new WeakMap<Hearth['settings'], Mailer>()

function mailerOf({ settings, log }: Hearth): Mailer {
  let mailer = mailers.get(settings)
  if (!mailer) {
    mailer = createMailer({
      server: settings.mail,
      from: `Hearth <hearth@${new URL(settings.site_url).hostname}>`,
      outbox: join(settings.data, 'outbox'),
      firstFile: (directory) =>
        log.info('mail is not set up: messages are written to files', { directory }),
    })
    mailers.set(settings, mailer)
  }
  return mailer
}

/**
 * What the mail server said when it did not take the last message, and since when it takes none.
 */
export type MailFailure = { readonly since: number; readonly error: unknown }
const failures = new WeakMap<Hearth['settings'], MailFailure>()

/** Null while mail leaves, as far as this process has tried. */
export const mailFailure = ({ settings }: Hearth): MailFailure | null =>
  failures.get(settings) ?? null

/** Sends a message now; for jobs whose message holds a secret. */
export async function deliver(hearth: Hearth, message: Message): Promise<void> {
  const now = hearth.clock.now()
  try {
    await mailerOf(hearth).send(message, timestamp(now))
    failures.delete(hearth.settings)
  } catch (error) {
    // A recipient that is refused says nothing about the others.
    if ((error as { code?: unknown } | null)?.code !== 'EENVELOPE')
      failures.set(hearth.settings, { since: failures.get(hearth.settings)?.since ?? now, error })
    throw error
  }
}

export const RETRY = ['10s', '1m', '10m', '1h', '4h'] as const

/** Sends a message that holds no secret. */
export const sendMessage = job<Message>({
  kind: 'send_mail',
  retry: RETRY,
  run: ({ hearth }, message) => deliver(hearth, message),
})

/**
 * Sends a message once the transaction is on disk. It waits in the table of jobs until then, so it
 * must hold no secret.
 */
export const sendMail = (tx: Tx, message: Message): void => void tx.enqueue(sendMessage, message)

/** A new link, or null when the account had enough of them lately. */
const linkWithinLimit = (
  hearth: Hearth,
  kind: ProofKind,
  user: { id: string; email: string },
): Promise<string | null> =>
  writeAs(hearth, null, (tx) =>
    countProofs(tx.db, kind, user.id, timestamp(tx.now_ms - HOUR)) >= MOST_LINKS_AN_HOUR
      ? null
      : makeLink(tx, kind, user),
  )

const host = (hearth: Hearth): string => new URL(hearth.settings.site_url).host

/**
 * Asks the reader of an address to confirm it; when somebody else has confirmed it, tells that
 * person instead.
 */
export const mailConfirmation = job<{ user_id: string; email: string }>({
  kind: 'mail_confirmation',
  retry: RETRY,
  async run({ hearth }, { user_id, email }) {
    const user = findUserById(hearth.db, user_id)
    const row = user && findEmail(hearth.db, user_id, email)
    if (!user || !row || row.verified_at !== null) return
    const owner = findConfirmed(hearth.db, email)
    if (owner) {
      await deliver(hearth, {
        to: email,
        kind: 'taken',
        subject: `Your address was used on ${host(hearth)}`,
        text: `Somebody used this address for another account, ${user.username}, on ${host(hearth)}.
It belongs to your account ${owner.username}, and stays with it.

If that was you: sign in as ${owner.username}. If you forgot the password, set a new one here:
${hearth.settings.site_url}/forgot

If it was not you, there is nothing to do.
`,
      })
      return
    }
    const link = await linkWithinLimit(hearth, 'confirm', { id: user_id, email })
    if (link === null) return
    await deliver(hearth, {
      to: email,
      kind: 'confirm',
      subject: `Confirm your address for ${host(hearth)}`,
      text: `Open this link to confirm that ${email}
belongs to the account ${user.username} on ${host(hearth)}:
${link}

It works once, for 24 hours. If you did not make this account, do not open it.
`,
    })
  },
})

/**
 * Mails a link for a new password to whoever an address belongs to, by their primary or backup
 * address. An address that nobody has confirmed serves the accounts that claim it, so that a
 * forgotten password can be mended before confirming.
 */
export const mailReset = job<{ email: string }>({
  kind: 'mail_reset',
  retry: RETRY,
  async run({ hearth }, { email }) {
    const owner = findConfirmed(hearth.db, email)
    const row = owner && findEmail(hearth.db, owner.id, email)
    const users = owner
      ? row?.is_primary === 1 || row?.is_backup === 1
        ? [owner]
        : []
      : listClaims(hearth.db, email, 3)
    for (const user of users) {
      const link =
        user.suspended_at === null
          ? await linkWithinLimit(hearth, 'reset', { id: user.id, email })
          : null
      if (link === null) continue
      await deliver(hearth, {
        to: email,
        kind: 'reset',
        subject: `Set a new password for ${host(hearth)}`,
        text: `Open this link to set a new password for the account ${user.username}
on ${host(hearth)}:
${link}

It works once, for one hour. If you did not ask for it, there is nothing to do: the password stays as it is.
`,
      })
    }
  },
})
