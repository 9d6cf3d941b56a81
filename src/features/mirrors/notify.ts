/** Mails about changes of who leads, to those whom the link names. */
import type { Tx } from '#core/write.ts'
import { enqueueMail, sayTo } from '#features/accounts/index.ts'
import { fullName, listManagers, requireRepo } from '#features/repos/index.ts'
import type { LinkState } from './link-state.ts'
import type { MirrorState } from './schema.ts'
import { listMemberAddresses, type MirrorRow } from './store.ts'

const MAX_RECIPIENTS = 50

/** What a state means for readers of a mail; null for states that need nobody. */
const MEANING: Readonly<Record<MirrorState, string | null>> = {
  setting_up: null,
  standing_by: 'It leads again. Push there, and this service follows.',
  ci_failover:
    'It cannot be reached. Workflows run here on what was fetched last. Pushes are still refused here until somebody takes over.',
  takeover: 'This service leads now: push here. Hand back when the remote is well again.',
  handing_back: null,
  following: null,
  diverged:
    'It has commits that this service does not have, so it is no longer pushed to. Compare both sides on the page of the mirror.',
  paused: null,
  failed: 'It could not be copied. The reason is on the page of the mirror.',
}

const SILENT_CHECKS =
  'It answers, but its checks have reported nothing for half an hour. Workflows run here on what it gets. Pushes still go there.'

export function notifyStateChange(
  tx: Tx,
  row: MirrorRow,
  { state, checks_silent }: Pick<LinkState, 'state' | 'checks_silent'>,
): void {
  const meaning = checks_silent ? SILENT_CHECKS : MEANING[state]
  if (meaning === null || row.notify === 'none') return
  const { id, workspace_id } = requireRepo(tx.db, row.repo_id)
  const people =
    row.notify === 'members'
      ? listMemberAddresses(tx.db, workspace_id, MAX_RECIPIENTS)
      : listManagers(tx.db, { repo_id: id, workspace_id: null }, MAX_RECIPIENTS)
  const name = fullName(tx.db, id)
  for (const { username, email } of people) {
    const say = sayTo(tx.hearth, email)
    enqueueMail(tx, {
      to: email,
      kind: 'mirror',
      subject: say('{name}: the mirror {mirror} is in {state}', {
        name,
        mirror: row.name,
        state: say(state.replaceAll('_', ' ')),
      }),
      text: `${username},

${say('{name} has a mirror link to {url}.', { name, url: row.url })}
${say(meaning)}

${tx.hearth.settings.site_url}/${name}/settings/mirror
`,
    })
  }
}
