/**
 * The people of a simulation, put straight into a new data directory: signing up by mail is not
 * what is simulated.
 */
import { openHearth } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { call } from '#core/operation.ts'
import { writeAs } from '#core/write.ts'
import type { UserCaller } from '#core/caller.ts'
import { issueToken } from '#features/accounts/index.ts'
import { insertUser } from '#features/accounts/store/users.ts'
import { addMember, createWorkspace } from '#features/workspaces/index.ts'
import { silentLog } from '#lib/log.ts'
import { timestamp } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'

const YEAR = 366 * 24 * 3_600_000

/**
 * Makes the workspace with its members; gives the secret of a token for each, by name. The first
 * owns the workspace.
 */
export async function seedPeople(
  data: string,
  workspace: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const hearth = openHearth({
    settings: loadConfig({ data }, {}).settings({ host: '127.0.0.1', port: 0 }),
    log: silentLog,
  })
  const secrets = new Map<string, string>()
  try {
    const ids = await writeAs(hearth, null, (tx) =>
      names.map((username, at) => {
        const id = typeId('usr', tx.now_ms)
        insertUser(tx, {
          id,
          username,
          email: `${username}@example.com`,
          name: null,
          password_hash: null,
          verified: true,
          site_admin: at === 0,
        })
        const { secret } = issueToken(tx, {
          actor_id: id,
          kind: 'user',
          source: 'settings',
          name: 'simulation',
          scopes: null,
          repos: null,
          workspace_id: null,
          role: null,
          expires_at: timestamp(tx.now_ms + YEAR),
        })
        secrets.set(username, secret)
        return id
      }),
    )
    const [first = '', ...others] = ids
    const owner: UserCaller = {
      kind: 'user',
      id: first,
      username: names[0] ?? '',
      verified: true,
      suspended: false,
      site_admin: true,
      token: null,
      sign_in: null,
    }
    const { id: workspace_id } = await call(hearth, createWorkspace, owner, { slug: workspace })
    await writeAs(hearth, null, (tx) =>
      others.forEach((user_id) => void addMember(tx, { workspace_id, user_id, role: 'member' })),
    )
  } finally {
    await hearth.close()
  }
  return secrets
}
