/** Inputs of mirrors, and the checks that several operations share. */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { outboundMessage } from '#core/outbound.ts'
import { mustBe, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import {
  checkRemote,
  isSshAddress,
  parseRemote,
  parseSshRemote,
  type RemoteAccess,
} from '#features/repos/index.ts'
import { conflict, invalid, notFound, Refusal } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { mirrorStateChanged } from './events.ts'
import { hasReadableWorkflows } from './remote-workflows.ts'
import type { MirrorSettings } from './schema.ts'
import { findLeader, findMirror, type MirrorChange, type MirrorRow } from './store.ts'

export const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'The address of the other repository, as one would clone it: https or ssh.',
})
export const LinkName = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: '^[^\\x00-\\x1f\\x7f]+$',
  ...mustBe('one line'),
  description: 'What people call the remote; its host unless given.',
})
export const Username = Type.String({
  maxLength: 200,
  pattern: '^[^\\x00-\\x1f\\x7f:]*$',
  ...mustBe('one line without colons'),
  description: 'The name that belongs to the secret; not needed for a token.',
})
export const Secret = Type.String({
  maxLength: 2000,
  pattern: '^[^\\x00-\\x1f\\x7f]*$',
  ...mustBe('one line'),
  description: 'A token or password, stored encrypted and never returned. Empty removes it.',
})

export const HostKey = Type.String({
  maxLength: 50,
  pattern: '^(SHA256:[A-Za-z0-9+/]{43})?$',
  ...mustBe('a fingerprint that begins with SHA256:'),
  description:
    'The fingerprint of the host key of an ssh address, as ssh-keygen -l prints it. Left out, the key of the first contact is the only one that is accepted; empty forgets it.',
})

const FORMS = 'an address that begins with https:// or ssh://, or one such as git@host:path'

/** Parses an address and checks that it is allowed. Throws 422 with what is wrong. */
export async function requireAddress(
  hearth: Hearth,
  caller: SignedIn,
  remote: RemoteAccess,
): Promise<string> {
  try {
    const url = isSshAddress(remote.url)
      ? parseSshRemote(remote.url)
      : parseRemote(remote.url, FORMS)
    await checkRemote(hearth, remote)
    return url.href
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw invalid('url', `the address cannot be mirrored: ${outboundMessage(error, caller)}`)
  }
}

/** Mirrors belong to repositories, not to the forks of pull requests. */
export function requireWhole(repo: RepoGrant): void {
  if (repo.parent_id !== null)
    throw conflict('not_available', 'the fork of a pull request has no mirrors')
}

/** Finds a link of this repository. Throws 404 otherwise. */
export function requireMirror(db: Db, repo: RepoGrant, id: string): MirrorRow {
  const row = findMirror(db, id)
  if (row?.repo_id !== repo.id) throw notFound(`the mirror ${id.slice(0, 60)}`)
  return row
}

/** Finds the link that leads or led. Throws 404 or 409 when there is none. */
export function requireLeader(db: Db, repo: RepoGrant): MirrorRow {
  const row = findLeader(db, repo.id)
  if (!row)
    throw conflict(
      'not_available',
      `no remote leads ${repo.full_name}: this needs a mirror with the role leader`,
    )
  return row
}

const flag = (value: boolean | undefined): number | undefined =>
  value === undefined ? undefined : value ? 1 : 0

/** Throws 501 for settings that would change nothing here. */
export function settingColumns(settings: Partial<MirrorSettings>, provider: string): MirrorChange {
  if (settings.ext_workflows && !hasReadableWorkflows(provider))
    throw new Refusal(
      'not_available',
      `workflow files of ${provider} have another form, and cannot run here: leave ext_workflows off`,
      { field: 'settings.ext_workflows' },
    )
  return columnsOf(settings)
}

const columnsOf = (settings: Partial<MirrorSettings>): MirrorChange => ({
  notify: settings.notify,
  take_over_after: settings.take_over_after,
  hand_back: settings.hand_back,
  keep_ci_warm: flag(settings.keep_ci_warm),
  ext_workflows: flag(settings.ext_workflows),
  hold_deploys: flag(settings.hold_deploys),
  report_checks: flag(settings.report_checks),
  remote_pushes: settings.remote_pushes,
})

export const auditMirror = (
  tx: Tx,
  repo: RepoGrant,
  action: string,
  row: Pick<MirrorRow, 'id' | 'name' | 'url' | 'role'>,
  data: Record<string, unknown> = {},
): void =>
  tx.audit({
    action,
    target: { kind: 'mirror', id: row.id, name: row.name },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data: { role: row.role, url: row.url, ...data },
  })

/** The first event of a link. */
export const appendCreated = (tx: Tx, repo: RepoGrant, row: MirrorRow): void =>
  void tx.append(
    mirrorStateChanged,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    { mirror: row.id, name: row.name, role: row.role, previous: null, state: row.state },
  )
