/**
 * Every operation that changes access, settings, tokens or secrets, and every one that only people
 * may call, leaves an entry in the audit log. The list is made from the registry, so that a new one
 * cannot be forgotten: it is called here and its entry is looked for, or it is named below with the
 * reason why it leaves none.
 */
import { expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { anonymous, type Caller, type UserCaller } from '#core/caller.ts'
import { findBrokenLink, listAudit } from '#core/audit.ts'
import { job } from '#core/jobs.ts'
import { call as callOperation, type Operation } from '#core/operation.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { insertUser } from '#features/accounts/store/users.ts'
import { putIdentity } from '#features/accounts/store/identities.ts'
import { placeholderOf } from '#features/security/secrets/fingerprint.ts'
import { addMember } from '#features/workspaces/index.ts'
import { features } from '#features/index.ts'
import { PasswordHasher } from '#lib/password/password.ts'
import { typeId } from '#core/ids.ts'
import { softPasskey } from './features/accounts/passkeys/soft-passkey.ts'
import { PASSWORD } from './features/accounts/with-password.ts'
import { client, runForge } from './features/oauth/running.ts'
import { newSshKey } from './ssh.ts'
import { makeWorld } from './world.ts'

const ADMINISTRATIVE = [
  'access:admin',
  'workspace:admin',
  'repo:admin',
  'secrets:admin',
  'site:admin',
]

const mustBeAudited = ({ access }: Operation): boolean =>
  access.writes &&
  (access.person || (access.scope ?? '').split(' ').some((scope) => ADMINISTRATIVE.includes(scope)))

/** Those that leave no entry, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  list_remote_repos: 'reads from another forge and changes nothing here',
  test_secret_pattern: 'reads the commits of a repository and changes nothing in it',
  resend_email_confirmation: 'mails a link again; the entry is written when it is opened',
  start_two_factor:
    'makes a secret that counts for nothing until enable_two_factor shows a code of it',
  triage_issue: 'asks a model for proposals, which change nothing until somebody accepts them',
  decide_triage_proposal:
    'changes labels or writes a comment as anybody with Triage may; the timeline of the issue tells who',
  test_integration: 'tries a connection; nothing but its last result changes',
  test_agent_program: 'tries a program; nothing but its last result changes',
  ping_webhook: 'tries a webhook; nothing of it changes, and its deliveries are a log of their own',
  redeliver_webhook:
    'sends once more what was sent before; nothing changes, and deliveries are a log of their own',
  ask_question: 'reads for oneself and gives no right; its cost is in the usage of models',
  push_advisory_fork:
    'moves branches that only those who work on the advisory see; what they merge has its entry',
  summarize_pull: 'reads for oneself and gives no right; its cost is in the usage of models',
  delete_question: 'one’s own question, which nobody else sees',
  set_subscription: 'one’s own choice of what to be told',
  set_issue_subscription: 'one’s own choice of what to be told',
  update_notification_settings: 'one’s own choice of what to be told',
  star_repo: 'a mark for oneself, which gives no right',
  unstar_repo: 'a mark for oneself, which gives no right',
  map_imported_person:
    'needs an import: test/features/imports/map-imported-person.test.ts reads its entry',
  hand_back_mirror: 'needs a remote that answers: test/features/mirrors reads its entry',
}

// Imports may begin: nothing listens at that port.
const forge = await runForge({ outbound_allow: ['http://127.0.0.1'] })
const { hearth, clock } = forge
/** Browsers let only addresses with a name and a certificate have passkeys. */
const named = await makeWorld()
const operations = features.flatMap((feature) => feature.operations ?? [])
const ada = await forge.user('ada', { site_admin: true })
const otto = await forge.user('otto')
const password_hash = await new PasswordHasher().hash(PASSWORD)

let made = 0
const fresh = (word: string): string => `${word}-${++made}`

type Place = Pick<typeof named, 'hearth' | 'write'>

const run = (
  name: string,
  caller: Caller,
  input: Record<string, unknown>,
  { hearth: at }: Pick<Place, 'hearth'> = forge,
): Promise<Record<string, unknown>> => {
  const operation = at.operationsByName.get(name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  return callOperation<unknown, unknown>(at, operation, caller, input) as Promise<
    Record<string, unknown>
  >
}
const text = (record: Record<string, unknown>, field: string): string => String(record[field])

/** A person with a password, so that changes of their sign-in can be made. */
async function person(place: Place = forge): Promise<UserCaller> {
  const username = fresh('person')
  const id = typeId('usr', clock.now())
  await place.write((tx) =>
    insertUser(tx, {
      id,
      username,
      email: `${username}@example.com`,
      name: null,
      password_hash,
      verified: true,
      site_admin: false,
    }),
  )
  return {
    kind: 'user',
    id,
    username,
    verified: true,
    suspended: false,
    site_admin: false,
    token: null,
    sign_in: null,
  }
}
async function signedIn(who: UserCaller): Promise<UserCaller> {
  const { secret } = await forge.call(signIn, anonymous, {
    login: who.username,
    password: PASSWORD,
  })
  const row = hearth.db.one<{ id: string }>(
    'SELECT id FROM sign_ins WHERE user_id = ? ORDER BY id DESC LIMIT 1',
    who.id,
  )
  if (!secret || !row) throw new Error('nobody is signed in')
  return { ...who, sign_in: row.id }
}
const workspace = async (owner: UserCaller = ada): Promise<string> => {
  const slug = fresh('ws')
  await run('create_workspace', owner, { slug })
  // One person belongs to ten workspaces at most.
  if (owner === ada)
    await forge.write(
      (tx) =>
        void tx.db.run(
          'DELETE FROM members WHERE user_id = ? AND workspace_id NOT IN (SELECT id FROM actors WHERE username IN (?, ?))',
          ada.id,
          slug,
          'acme',
        ),
    )
  return slug
}
await forge.workspace('acme', { owner: ada })
const repo = async (): Promise<string> =>
  text(
    await run('create_repo', ada, { workspace: 'acme', name: fresh('repo'), private: false }),
    'full_name',
  )
const member = async (slug = 'acme'): Promise<UserCaller> => {
  const who = await person()
  const row = hearth.db.one<{ id: string }>(
    `SELECT id FROM actors WHERE username = ? AND kind = 'workspace'`,
    slug,
  )
  await forge.write((tx) =>
    addMember(tx, { workspace_id: row?.id ?? '', user_id: who.id, role: 'member' }),
  )
  return who
}
const team = async (): Promise<string> =>
  text(await run('create_team', ada, { workspace: 'acme', name: fresh('team') }), 'slug')
const project = async (): Promise<string> =>
  text(await run('create_project', ada, { workspace: 'acme', slug: fresh('project') }), 'slug')
const deleted = async (): Promise<{ repo: string; confirm: string }> => {
  const name = await repo()
  await run('delete_repo', ada, { repo: name, confirm: name })
  return { repo: name, confirm: name }
}
const webhook = async (): Promise<{ repo: string; id: string }> => {
  const name = await repo()
  return {
    repo: name,
    id: text(
      await run('create_webhook', ada, { repo: name, url: 'https://hooks.nowhere.invalid/' }),
      'id',
    ),
  }
}
/** The built-in agent, which waits for an answer. */
const waitingAgent = async (): Promise<{ repo: string; id: string }> => {
  const name = await repo()
  await forge.commit(name, 'main', { 'a.txt': 'a' })
  const { pull } = (await run('create_pull', ada, { repo: name, title: 'x' })) as unknown as {
    pull: { number: number; id: string }
  }
  const id = text(await run('create_agent', ada, { repo: name, name: 'bot' }), 'id')
  await forge.write((tx) => {
    tx.db.run(
      `INSERT INTO agent_runs (agent_id, repo_id, pull_id, issue, task, state, state_at)
       SELECT ?, repo_id, id, 1, 'code', 'waiting', ? FROM pulls WHERE id = ?`,
      id,
      tx.now,
      pull.id,
    )
    tx.db.run(
      `INSERT INTO session_entries (pull_id, seq, kind, text, at, author_id, truncated, redacted,
       data) VALUES (?, 1, 'question', '?', ?, ?, 0, 0, '{}')`,
      pull.id,
      tx.now,
      id,
    )
    tx.db.run('UPDATE pulls SET session_entries = 1 WHERE id = ?', pull.id)
  })
  return { repo: name, id }
}
const newIntegration = async () => ({
  workspace: await workspace(),
  provider: 'github',
  config: { base_url: 'https://tickets.nowhere.invalid' },
})
const integration = async (): Promise<{ workspace: string; id: string }> => {
  const input = await newIntegration()
  return {
    workspace: input.workspace,
    id: text(await run('connect_integration', ada, input), 'id'),
  }
}
/** An integration that sends, and where its events would become issues. */
const newHook = async (): Promise<{ workspace: string; id: string; repo: string }> => {
  const of = await repo()
  const workspace = of.split('/')[0] ?? ''
  const connected = await run('connect_integration', ada, { workspace, provider: 'alertmanager' })
  return { workspace, id: text(connected, 'id'), repo: of }
}
const setting = async (kind: 'variable' | 'secret'): Promise<{ repo: string; setting: string }> => {
  const input = { repo: await repo(), setting: 'A' }
  await run(`set_${kind}`, ada, { ...input, value: 'x' })
  return input
}
const upstream = async () => {
  const input = { workspace: await workspace(), package_type: 'npm' }
  await run('set_package_upstream', ada, { ...input, url: 'https://registry.nowhere.invalid' })
  return input
}
/** A placeholder of a secret that ada was refused. */
const newPattern = async () => ({
  workspace: 'acme',
  name: fresh('key'),
  pattern: 'acme_[a-z0-9]{20}',
})
const pattern = async () => {
  const { id } = await run('create_secret_pattern', ada, await newPattern())
  return { workspace: 'acme', id }
}

const refusedSecret = async (): Promise<{ repo: string; placeholder: string }> => {
  const name = await repo()
  const { id = '' } = hearth.facts.repo(name, ada) ?? {}
  const placeholder = placeholderOf(hearth, id, ada.id, {
    fingerprint: 'f'.repeat(32),
    type: 'github-token',
    label: 'GitHub token',
    preview: 'ghp_••••Zz',
  })
  return { repo: name, placeholder }
}
/** A run that waits for an approval. */
const waitingRun = async (): Promise<{ repo: string; id: string }> => {
  const name = await repo()
  const { id: repo_id } = hearth.facts.repo(name, ada) ?? { id: '' }
  const workflow_id = typeId('wfl', clock.now())
  const id = typeId('run', clock.now())
  const sha = 'a'.repeat(40)
  await forge.write((tx) => {
    tx.db.run(
      `INSERT INTO workflows (id, repo_id, path, name, created_at, updated_at)
       VALUES (?, ?, 'a.yml', 'a', ?, ?)`,
      workflow_id,
      repo_id,
      tx.now,
      tx.now,
    )
    tx.db.run(
      `INSERT INTO workflow_runs (id, repo_id, workflow_id, path, name, title, number, event,
         event_name, ref, sha, head_sha, workflow_sha, workflow_blob, status, waiting_for, trusted,
         payload, created_at)
       VALUES (?1, ?2, ?3, 'a.yml', 'a', 'a', 1, 'pull_request', 'pull_request', 'refs/heads/main',
         ?4, ?4, ?4, ?4, 'waiting', 'approval', 0, x'', ?5)`,
      id,
      repo_id,
      workflow_id,
      sha,
      tx.now,
    )
  })
  return { repo: name, id }
}
/** A deployment that waits for an approval of ada. */
const waitingDeployment = async (): Promise<{ repo: string; id: string }> => {
  const name = await repo()
  const { id: repo_id } = hearth.facts.repo(name, ada) ?? { id: '' }
  const made = await run('set_environment', ada, {
    repo: name,
    environment: 'live',
    reviewers: ['ada'],
  })
  const id = typeId('dpl', clock.now())
  await forge.write((tx) =>
    tx.db.run(
      `INSERT INTO deployments (id, repo_id, environment_id, environment, run_id, job_id, job, ref,
         sha, state, created_at, updated_at)
       VALUES (?1, ?2, ?3, 'live', 'run_1', 'job_1', 'ship', 'refs/heads/main', ?4, 'waiting', ?5, ?5)`,
      id,
      repo_id,
      text(made, 'id'),
      'a'.repeat(40),
      tx.now,
    ),
  )
  return { repo: name, id }
}
const ruleset = async (): Promise<{ repo: string; id: string }> => {
  const name = await repo()
  return {
    repo: name,
    id: text(await run('create_ruleset', ada, { repo: name, name: 'Rules', rules: [] }), 'id'),
  }
}
const invited = async (who: UserCaller): Promise<string> =>
  text(
    await run('invite_member', ada, { workspace: 'acme', email: `${who.username}@example.com` }),
    'id',
  )
const invitedToRepo = async (who: UserCaller): Promise<{ repo: string; id: string }> => {
  const name = await repo()
  await run('add_collaborator', ada, { repo: name, invitee: who.username, role: 'write' })
  const { items } = (await run('list_repo_invitations', ada, { repo: name })) as unknown as {
    items: { id: string }[]
  }
  return { repo: name, id: items[0]?.id ?? '' }
}
let packages = 0
const ownPackage = async () => {
  const target = { workspace: 'acme', package_type: 'npm', package_name: `lib-${++packages}` }
  const publication = { version: '1.0.0', digest: 'sha256:0', metadata: {}, files: [] }
  await run('publish_package_version', ada, { ...target, publication })
  return target
}
const collaborator = async (): Promise<{ repo: string; username: string }> => {
  const who = await person()
  const { repo: name, id } = await invitedToRepo(who)
  await run('accept_repo_invitation', who, { id })
  return { repo: name, username: who.username }
}
async function authenticator(who: UserCaller): Promise<() => string> {
  await run('start_two_factor', who, {})
  const setup = await run('get_two_factor_setup', who, {})
  const totp = new TOTP({ secret: Secret.fromBase32(text(setup, 'secret')) })
  return () => totp.generate({ timestamp: clock.now() })
}
async function withTwoFactor(): Promise<UserCaller> {
  const who = await person()
  const code = await authenticator(who)
  await run('enable_two_factor', who, { code: code() })
  return who
}
async function passkeyInput(who: UserCaller): Promise<Record<string, unknown>> {
  const start = await run('start_passkey', who, {}, named)
  return {
    name: 'Key',
    state: text(start, 'state'),
    response: softPasskey(named.hearth.settings.site_url).make(text(start, 'options')),
  }
}

type Made = { as: UserCaller; input: Record<string, unknown>; at: Place }
const draftAdvisory = async (): Promise<{ repo: string; id: string }> => {
  const path = await repo()
  await forge.commit(path, 'main', { 'a.txt': 'one' })
  const made = await run('create_advisory', ada, {
    repo: path,
    title: 'Hole',
    description: 'Deep',
    severity: 'high',
  })
  return { repo: path, id: text(made, 'id') }
}

/** A draft whose private fork has a branch to merge. */
const mendedAdvisory = async () => {
  const advisory = await draftAdvisory()
  await run('open_advisory_fork', ada, advisory)
  await forge.jobs()
  const { store, base } = hearth.db.one<{ store: string; base: string }>(
    `SELECT f.store, r.oid AS base FROM advisory_forks f
     JOIN advisory_fork_refs r ON r.fork_id = f.id WHERE f.advisory_id = ?`,
    advisory.id,
  ) ?? { store: '', base: '' }
  const author = { name: 'ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' }
  const { commit } = await hearth.git.commitFiles(store, {
    parent: base,
    changes: [{ action: 'put', path: 'b.txt', data: new TextEncoder().encode('two') }],
    message: 'Fix',
    author,
    committer: author,
  })
  const updates = [{ name: 'refs/heads/fix', old: null, new: commit }]
  await run('push_advisory_fork', ada, { ...advisory, updates })
  return { ...advisory, branch: 'fix' }
}

const by = (as: UserCaller, input: Record<string, unknown> = {}, at: Place = forge): Made => ({
  as,
  input,
  at,
})

const copyInput = () => ({
  source: 'git',
  url: 'http://127.0.0.1:9/x',
  workspace: 'acme',
  name: fresh('copy'),
})

/** A repository with a mirror link in a state. Nothing listens at that port. */
async function mirror(state = 'standing_by') {
  const name = await repo()
  const { remotes } = await run('create_mirror', ada, {
    repo: name,
    url: 'http://127.0.0.1:9/x',
    role: 'leader',
  })
  const [{ id = '' } = {}] = remotes as { id: string }[]
  await forge.write((tx) => tx.db.run('UPDATE mirrors SET state = ? WHERE id = ?', state, id))
  return { repo: name, id }
}

/** How each comes to be called: who calls it, with what. */
const CALLS: Readonly<Record<string, () => Promise<Made>>> = {
  create_token: async () => by(ada, { name: 'x', scopes: ['repo:read'] }),
  revoke_token: async () =>
    by(ada, {
      id: text(await run('create_token', ada, { name: 'x', scopes: ['repo:read'] }), 'id'),
    }),
  create_feed_token: async () => by(await person()),
  remove_feed_token: async () => {
    const who = await person()
    await run('create_feed_token', who, {})
    return by(who)
  },
  create_settings_token: async () => by(ada, { name: 'x' }),
  create_invite: async () => by(ada),
  revoke_invite: async () => by(ada, { id: text(await run('create_invite', ada, {}), 'id') }),
  add_key: async () => by(ada, { title: 'Laptop', key: newSshKey().line }),
  add_deploy_key: async () =>
    by(ada, { repo: await repo(), title: 'Server', key: newSshKey().line }),
  remove_deploy_key: async () => {
    const input = { repo: await repo(), title: 'Server', key: newSshKey().line }
    return by(ada, { repo: input.repo, id: text(await run('add_deploy_key', ada, input), 'id') })
  },
  remove_key: async () =>
    by(ada, {
      id: text(await run('add_key', ada, { title: 'Laptop', key: newSshKey().line }), 'id'),
    }),
  add_email: async () =>
    by(await person(), { email: `${fresh('more')}@example.com`, password: PASSWORD }),
  remove_email: async () => {
    const who = await person()
    const email = `${fresh('more')}@example.com`
    await run('add_email', who, { email, password: PASSWORD })
    return by(who, { email, password: PASSWORD })
  },
  update_email_settings: async () => by(await person(), { private_email: false }),
  end_sign_in: async () => {
    const who = await person()
    const other = await signedIn(who)
    return by(await signedIn(who), { id: other.sign_in })
  },
  end_other_sign_ins: async () => {
    const who = await person()
    await signedIn(who)
    return by(await signedIn(who))
  },
  set_password: async () =>
    by(await person(), { current: PASSWORD, password: 'another fine password' }),
  enable_two_factor: async () => {
    const who = await person()
    const code = await authenticator(who)
    return by(who, { code: code() })
  },
  disable_two_factor: async () => by(await withTwoFactor(), { password: PASSWORD }),
  renew_recovery_codes: async () => by(await withTwoFactor(), { password: PASSWORD }),
  reset_two_factor: async () => by(ada, { username: (await withTwoFactor()).username }),
  add_passkey: async () => {
    const who = await person(named)
    return by(who, await passkeyInput(who), named)
  },
  remove_passkey: async () => {
    const who = await person(named)
    await run('add_passkey', who, await passkeyInput(who), named)
    const { passkeys } = (await run('get_security', who, {}, named)) as unknown as {
      passkeys: { id: string }[]
    }
    return by(who, { id: passkeys[0]?.id, password: PASSWORD }, named)
  },
  remove_identity: async () => {
    const who = await person()
    await forge.write((tx) =>
      putIdentity(tx.db, {
        provider: 'idp',
        subject: who.id,
        user_id: who.id,
        label: 'x',
        now: tx.now,
      }),
    )
    return by(who, { provider: 'idp', subject: who.id, password: PASSWORD })
  },
  update_site_settings: async () => by(ada, { settings: { 'checks.keep_days': 91 } }),
  set_agent_program: async () => by(ada, { name: 'robot', command: 'robot --acp' }),
  remove_agent_program: async () => {
    await run('set_agent_program', ada, { name: 'robot', command: 'robot --acp' })
    return by(ada, { name: 'robot' })
  },
  set_quota: async () => by(ada, { workspace: await workspace(), members: 50 }),
  retry_job: async () => {
    const gone = job<null>({ kind: 'gone', run: () => {} })
    return by(ada, {
      id: await forge.write((tx) => tx.enqueue(gone, null, { delay_ms: 3_600_000 })),
    })
  },
  send_test_mail: async () => by(ada, { to: 'ada@example.com' }),
  create_account_link: async () => by(ada, { username: (await person()).username, kind: 'reset' }),
  suspend_user: async () => by(ada, { username: (await person()).username }),
  unsuspend_user: async () => {
    const { username } = await person()
    await run('suspend_user', ada, { username })
    return by(ada, { username })
  },
  update_profile: async () => by(await person(), { bio: 'New' }),
  create_workspace: async () => by(await person(), { slug: fresh('ws') }),
  update_workspace: async () => by(ada, { workspace: await workspace(), description: 'New' }),
  set_base_permission: async () =>
    by(ada, { workspace: await workspace(), base_permission: 'read' }),
  set_member_privileges: async () =>
    by(ada, { workspace: await workspace(), members_can_delete_repositories: true }),
  rename_workspace: async () => by(ada, { workspace: await workspace(), slug: fresh('ws') }),
  delete_workspace: async () => {
    const slug = await workspace()
    return by(ada, { workspace: slug, confirm: slug })
  },
  update_member: async () =>
    by(ada, { workspace: 'acme', username: (await member()).username, role: 'owner' }),
  remove_member: async () => by(ada, { workspace: 'acme', username: (await member()).username }),
  invite_member: async () => by(ada, { workspace: 'acme', email: `${fresh('new')}@example.com` }),
  revoke_workspace_invite: async () =>
    by(ada, { workspace: 'acme', id: await invited(await person()) }),
  accept_workspace_invite: async () => {
    const who = await person()
    return by(who, { id: await invited(who) })
  },
  decline_workspace_invite: async () => {
    const who = await person()
    return by(who, { id: await invited(who) })
  },
  create_workspace_token: async () =>
    by(ada, { workspace: 'acme', name: 'x', scopes: ['repo:read'] }),
  revoke_workspace_token: async () =>
    by(ada, {
      workspace: 'acme',
      id: text(
        await run('create_workspace_token', ada, {
          workspace: 'acme',
          name: 'x',
          scopes: ['repo:read'],
        }),
        'id',
      ),
    }),
  create_project: async () => by(ada, { workspace: 'acme', slug: fresh('project') }),
  update_project: async () => by(ada, { workspace: 'acme', project: await project(), name: 'New' }),
  set_project_board: async () =>
    by(ada, {
      workspace: 'acme',
      project: await project(),
      columns: [{ name: 'All', kind: 'open' }],
    }),
  delete_project: async () => by(ada, { workspace: 'acme', project: await project() }),
  create_repo: async () => by(ada, { workspace: 'acme', name: fresh('repo') }),
  update_repo: async () => by(ada, { repo: await repo(), description: 'New', protected: false }),
  update_repo_settings: async () => by(ada, { repo: await repo(), max_revisions: 7 }),
  rename_repo: async () => by(ada, { repo: await repo(), name: fresh('repo') }),
  transfer_repo: async () => by(ada, { repo: await repo(), to: await workspace() }),
  set_repo_visibility: async () => {
    const name = await repo()
    return by(ada, { repo: name, private: true, confirm: name })
  },
  archive_repo: async () => by(ada, { repo: await repo() }),
  unarchive_repo: async () => {
    const name = await repo()
    await run('archive_repo', ada, { repo: name })
    return by(ada, { repo: name })
  },
  delete_repo: async () => {
    const name = await repo()
    return by(ada, { repo: name, confirm: name })
  },
  restore_repo: async () => by(ada, { repo: (await deleted()).repo }),
  purge_repo: async () => by(ada, await deleted()),
  create_team: async () => by(ada, { workspace: 'acme', name: fresh('team') }),
  update_team: async () => by(ada, { workspace: 'acme', team: await team(), description: 'New' }),
  delete_team: async () => by(ada, { workspace: 'acme', team: await team() }),
  set_team_member: async () =>
    by(ada, { workspace: 'acme', team: await team(), username: (await member()).username }),
  remove_team_member: async () => {
    const input = { workspace: 'acme', team: await team(), username: (await member()).username }
    await run('set_team_member', ada, input)
    return by(ada, input)
  },
  review_vulnerability_report: async () => {
    const path = await repo()
    const { id } = await run('create_vulnerability_report', ada, {
      repo: path,
      title: 'Hole',
      description: 'Deep',
    })
    return by(ada, { repo: path, id, state: 'accepted', severity: 'high' })
  },
  create_advisory: async () =>
    by(ada, { repo: await repo(), title: 'Hole', description: 'Deep', severity: 'high' }),
  update_advisory: async () => {
    const path = await repo()
    const { id } = await run('create_advisory', ada, {
      repo: path,
      title: 'Hole',
      description: 'Deep',
      severity: 'high',
    })
    return by(ada, { repo: path, id, state: 'published' })
  },
  open_advisory_fork: async () => by(ada, await draftAdvisory()),
  delete_advisory_fork: async () => {
    const advisory = await draftAdvisory()
    await run('open_advisory_fork', ada, advisory)
    return by(ada, advisory)
  },
  merge_advisory_fork: async () => by(ada, await mendedAdvisory()),
  add_advisory_collaborator: async () =>
    by(ada, { ...(await draftAdvisory()), username: (await person()).username }),
  remove_advisory_collaborator: async () => {
    const input = { ...(await draftAdvisory()), username: (await person()).username }
    await run('add_advisory_collaborator', ada, input)
    return by(ada, input)
  },
  create_secret_pattern: async () => by(ada, await newPattern()),
  update_secret_pattern: async () => by(ada, { ...(await pattern()), enabled: true }),
  delete_secret_pattern: async () => by(ada, await pattern()),
  set_security_manager: async () => by(ada, { workspace: 'acme', team: await team() }),
  remove_security_manager: async () => {
    const input = { workspace: 'acme', team: await team() }
    await run('set_security_manager', ada, input)
    return by(ada, input)
  },
  bypass_push_protection: async () =>
    by(ada, { ...(await refusedSecret()), reason: 'used_in_tests' }),
  update_secret_alert: async () => {
    const input = await refusedSecret()
    const { alert } = await run('bypass_push_protection', ada, {
      ...input,
      reason: 'used_in_tests',
    })
    return by(ada, {
      repo: input.repo,
      id: String(alert),
      state: 'resolved',
      resolution: 'used_in_tests',
    })
  },
  set_team_repo: async () =>
    by(ada, { workspace: 'acme', team: await team(), repo: await repo(), role: 'write' }),
  remove_team_repo: async () => {
    const input = { workspace: 'acme', team: await team(), repo: await repo() }
    await run('set_team_repo', ada, { ...input, role: 'write' })
    return by(ada, input)
  },
  set_package_access: async () =>
    by(ada, { ...(await ownPackage()), team: await team(), role: 'write' }),
  remove_package_access: async () => {
    const input = { ...(await ownPackage()), team: await team() }
    await run('set_package_access', ada, { ...input, role: 'write' })
    return by(ada, input)
  },
  set_review_assignment: async () =>
    by(ada, { workspace: 'acme', team: await team(), enabled: true, count: 2 }),
  add_collaborator: async () =>
    by(ada, { repo: await repo(), invitee: (await person()).username, role: 'read' }),
  update_collaborator: async () => by(ada, { ...(await collaborator()), role: 'admin' }),
  remove_collaborator: async () => by(ada, await collaborator()),
  revoke_repo_invitation: async () => by(ada, await invitedToRepo(await person())),
  accept_repo_invitation: async () => {
    const who = await person()
    return by(who, { id: (await invitedToRepo(who)).id })
  },
  decline_repo_invitation: async () => {
    const who = await person()
    return by(who, { id: (await invitedToRepo(who)).id })
  },
  dismiss_review: async () => {
    const name = await repo()
    await forge.commit(name, 'main', { 'a.txt': 'a' })
    const { pull } = (await run('create_pull', otto, { repo: name, title: 'x' })) as unknown as {
      pull: { number: number }
    }
    await forge.commit(`${name}/pull/${pull.number}`, 'main', { 'a.txt': 'b' }, { as: otto })
    const review = await run('review_pull', ada, {
      repo: name,
      number: pull.number,
      verdict: 'request_changes',
      body: 'x',
    })
    return by(ada, { repo: name, number: pull.number, id: review.id, reason: 'x' })
  },
  decide_authorization: async () => {
    const app = await client(forge)
    return by(ada, {
      ...Object.fromEntries(new URL(app.query(), forge.url).searchParams),
      decision: 'approve',
    })
  },
  revoke_application: async () => {
    const app = await client(forge, { name: fresh('app') })
    await app.signIn('ada')
    const { items } = (await run('list_applications', ada, {})) as unknown as {
      items: { id: string }[]
    }
    return by(ada, { id: items[0]?.id })
  },
  decide_device: async () =>
    by(ada, {
      code: text(await run('create_device_code', anonymous, {}), 'user_code'),
      decision: 'approve',
    }),
  create_import: async () => by(ada, copyInput()),
  create_imports: async () => {
    const { source, workspace, ...copied } = copyInput()
    return by(ada, { source, workspace, repos: [copied] })
  },
  cancel_import: async () =>
    by(ada, { id: text(await run('create_import', ada, copyInput()), 'id') }),
  retry_import: async () => {
    const id = text(await run('create_import', ada, copyInput()), 'id')
    await run('cancel_import', ada, { id })
    return by(ada, { id })
  },
  create_mirror: async () =>
    by(ada, { repo: await repo(), url: 'http://127.0.0.1:9/x', role: 'follower' }),
  update_mirror: async () => by(ada, { ...(await mirror()), name: 'upstream' }),
  delete_mirror: async () => by(ada, await mirror()),
  take_over_mirror: async () => by(ada, { repo: (await mirror()).repo }),
  move_mirror_to_service: async () => by(ada, { repo: (await mirror()).repo }),
  create_agent: async () => by(ada, { repo: await repo(), name: 'bot' }),
  stop_all_agents: async () => by(ada, { repo: await repo(), reason: 'x' }),
  resume_agent: async () => by(ada, await waitingAgent()),
  answer_agent: async () => by(ada, { ...(await waitingAgent()), text: 'x' }),
  set_package_upstream: async () => by(ada, { ...(await upstream()), keep_days: 7 }),
  empty_package_upstream: async () => by(ada, await upstream()),
  delete_package_upstream: async () => by(ada, await upstream()),
  connect_integration: async () => by(ada, await newIntegration()),
  update_integration: async () => by(ada, { ...(await integration()), name: 'other' }),
  disconnect_integration: async () => by(ada, await integration()),
  set_incoming_hook: async () => by(ada, await newHook()),
  remove_incoming_hook: async () => {
    const { workspace, id, repo: of } = await newHook()
    await run('set_incoming_hook', ada, { workspace, id, repo: of })
    return by(ada, { workspace, id })
  },
  set_model_routes: async () =>
    by(ada, { workspace: (await newIntegration()).workspace, routes: [] }),
  set_model_gateway: async () =>
    by(ada, { workspace: (await newIntegration()).workspace, enabled: true }),
  create_webhook: async () =>
    by(ada, { repo: await repo(), url: 'https://hooks.nowhere.invalid/' }),
  update_webhook: async () => by(ada, { ...(await webhook()), active: false }),
  delete_webhook: async () => by(ada, await webhook()),
  set_variable: async () => by(ada, { repo: await repo(), setting: 'A', value: 'x' }),
  update_variable: async () => by(ada, { ...(await setting('variable')), value: 'y' }),
  delete_variable: async () => by(ada, await setting('variable')),
  set_secret: async () => by(ada, { repo: await repo(), setting: 'A', value: 'x' }),
  delete_secret: async () => by(ada, await setting('secret')),
  create_runner: async () => by(ada, { repo: await repo(), name: 'far' }),
  remove_runner: async () => {
    const owner = await repo()
    const { id } = await run('create_runner', ada, { repo: owner, name: 'far' })
    return by(ada, { repo: owner, id })
  },
  create_site_runner: async () => by(ada, { name: 'far' }),
  remove_site_runner: async () => {
    const { id } = await run('create_site_runner', ada, { name: 'far' })
    return by(ada, { id })
  },
  create_ruleset: async () =>
    by(ada, { repo: await repo(), name: 'Rules', rules: [{ type: 'deletion' }] }),
  update_ruleset: async () => by(ada, { ...(await ruleset()), enforcement: 'evaluate' }),
  delete_ruleset: async () => by(ada, await ruleset()),
  set_environment: async () => by(ada, { repo: await repo(), environment: 'live' }),
  delete_environment: async () => {
    const input = { repo: await repo(), environment: 'live' }
    await run('set_environment', ada, input)
    return by(ada, input)
  },
  review_deployment: async () => by(ada, { ...(await waitingDeployment()), verdict: 'approve' }),
  approve_run: async () => by(ada, await waitingRun()),
  create_backup: async () => by(ada, {}),
  verify_backup: async () => {
    const id = typeId('bkp', clock.now())
    await forge.write((tx) =>
      tx.db.run(
        `INSERT INTO backups (id, place, state, scheduled, encrypted, created_at, finished_at) VALUES (?, '/nowhere', 'done', 0, 0, ?, ?)`,
        id,
        tx.now,
        tx.now,
      ),
    )
    return by(ada, { id })
  },
}

const wanted = operations.filter(mustBeAudited)

test('every operation that must leave an entry is called here, or excused with a reason', () => {
  const names = wanted.map(({ name }) => name).sort()
  expect([...Object.keys(CALLS), ...Object.keys(WITHOUT)].sort()).toEqual(names)
  for (const reason of Object.values(WITHOUT)) expect(reason.length).toBeGreaterThan(20)
})

for (const { name } of wanted.filter((operation) => operation.name in CALLS)) {
  test(`${name} leaves an entry with who did it`, async () => {
    const { as, input, at } = await (CALLS[name] ?? (async () => by(ada)))()
    const before = listAudit(at.hearth.db, { limit: 1 })[0]?.id ?? ''
    await run(name, as, input, at)
    const entries = listAudit(at.hearth.db, { limit: 50 }).filter(({ id }) => id > before)
    expect(
      entries.filter(({ actor_id }) => actor_id === as.id).map(({ action }) => action),
    ).not.toEqual([])
    for (const { action, data } of entries) {
      expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/)
      expect(data).not.toMatch(/hth[uwa]_[0-9A-Za-z]{40}/)
      expect(data).not.toContain(PASSWORD)
    }
  })
}

test('the chain is intact afterwards', () => {
  expect(findBrokenLink(hearth.db)).toBeNull()
})
