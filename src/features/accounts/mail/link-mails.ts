/**
 * Mail of accounts. The jobs look up the recipients, so a request takes the same time whether or
 * not an address has an account. The jobs also create the links, so no secret waits in the jobs
 * table.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { HOUR, timestamp } from '#lib/time.ts'
import { countProofs, type ProofKind } from '../store/proofs.ts'
import {
  findEmail,
  findUserById,
  findUserRowByEmail,
  listUnconfirmedClaims,
} from '../store/users.ts'
import { createMailedLink } from './mailed-links.ts'
import { deliverMail, MAIL_RETRY_DELAYS } from './mailer.ts'
import { sayTo } from './mail-language.ts'

/** The most links per account and hour. Without a limit, strangers could fill a user's mailbox. */
const MAX_LINKS_PER_HOUR = 5

/** A new link, or null when the account reached its hourly limit. */
const linkWithinLimit = (
  hearth: Hearth,
  kind: ProofKind,
  user: { id: string; email: string },
): Promise<string | null> =>
  writeAs(hearth, null, (tx) =>
    countProofs(tx.db, kind, user.id, timestamp(tx.now_ms - HOUR)) >= MAX_LINKS_PER_HOUR
      ? null
      : createMailedLink(tx, kind, user),
  )

const host = (hearth: Hearth): string => new URL(hearth.settings.site_url).host

/**
 * Mails a confirmation link. When another account has confirmed the address, its owner is notified
 * instead.
 */
export const mailConfirmation = job<{ user_id: string; email: string }>({
  kind: 'mail_confirmation',
  retry: MAIL_RETRY_DELAYS,
  async run({ hearth }, { user_id, email }) {
    const user = findUserById(hearth.db, user_id)
    const row = user && findEmail(hearth.db, user_id, email)
    if (!user || !row || row.verified_at !== null) return
    const owner = findUserRowByEmail(hearth.db, email)
    const say = sayTo(hearth, email)
    const site = host(hearth)
    if (owner) {
      await deliverMail(hearth, {
        to: email,
        kind: 'taken',
        subject: say('Your address was used on {site}', { site }),
        text: say(
          'Somebody used this address for another account, {username}, on {site}.\nIt belongs to your account {owner}, and stays with it.\n\nIf that was you: sign in as {owner}. If you forgot the password, set a new one here:\n{url}\n\nIf it was not you, there is nothing to do.\n',
          {
            username: user.username,
            owner: owner.username,
            site,
            url: `${hearth.settings.site_url}/forgot`,
          },
        ),
      })
      return
    }
    const link = await linkWithinLimit(hearth, 'confirm', { id: user_id, email })
    if (link === null) return
    await deliverMail(hearth, {
      to: email,
      kind: 'confirm',
      subject: say('Confirm your address for {site}', { site }),
      text: say(
        'Open this link to confirm that {email}\nbelongs to the account {username} on {site}:\n{link}\n\nIt works once, for 24 hours. If you did not make this account, do not open it.\n',
        { email, username: user.username, site, link },
      ),
    })
  },
})

/**
 * Mails a password reset link to the account whose primary or backup address this is. For an
 * unconfirmed address every account that claims it gets one, so that a user can reset a password
 * before confirming.
 */
export const mailReset = job<{ email: string }>({
  kind: 'mail_reset',
  retry: MAIL_RETRY_DELAYS,
  async run({ hearth }, { email }) {
    const owner = findUserRowByEmail(hearth.db, email)
    const row = owner && findEmail(hearth.db, owner.id, email)
    const users = owner
      ? row?.is_primary === 1 || row?.is_backup === 1
        ? [owner]
        : []
      : listUnconfirmedClaims(hearth.db, email, 3)
    for (const user of users) {
      const link =
        user.suspended_at === null
          ? await linkWithinLimit(hearth, 'reset', { id: user.id, email })
          : null
      if (link === null) continue
      const say = sayTo(hearth, email)
      const site = host(hearth)
      await deliverMail(hearth, {
        to: email,
        kind: 'reset',
        subject: say('Set a new password for {site}', { site }),
        text: say(
          'Open this link to set a new password for the account {username}\non {site}:\n{link}\n\nIt works once, for one hour. Setting the password ends all sign-ins, access tokens, agents, approved\napplications and feed links of the account. If you did not ask for it, there is nothing to do: the password stays as it is.\n',
          { username: user.username, site, link },
        ),
      })
    }
  },
})
