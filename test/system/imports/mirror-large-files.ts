/**
 * Large files of mirrors: a link that follows Gitea downloads them, and one that Gitea follows
 * uploads them before the refs, which a clone with git-lfs shows.
 */
import { OWNER } from '../../../scripts/support/forge.ts'
import type { Seeded } from './seed-gitea.ts'

type Api = <T>(method: string, path: string, body?: unknown) => Promise<T>
type Link = {
  remotes: { id: string; state: string; synced_at: string | null; last_error: string | null }[]
}

async function synced(api: Api, repo: string): Promise<string | null> {
  for (let tries = 0; tries < 300; tries++) {
    const [remote] = (await api<Link>('GET', `/repos/${repo}/mirror`)).remotes
    if (remote?.synced_at) return remote.last_error
    await Bun.sleep(200)
  }
  return 'it was never synced'
}

const basic = (pair: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
})

/** One line for everything that is wrong. */
export async function mirrorLargeFiles(
  api: Api,
  seeded: Seeded,
  peer: string,
  here: { readonly url: string; readonly token: string },
): Promise<string[]> {
  const wrong: string[] = []
  const secret = `ada:${seeded.token}`
  const follows = `${OWNER.workspace}/follows`
  await api('POST', '/repos', { workspace: OWNER.workspace, name: 'follows' })
  await api('POST', `/repos/${follows}/mirror`, {
    url: `${seeded.url}.git`,
    role: 'leader',
    secret,
  })
  const error = await synced(api, follows)
  if (error !== null) wrong.push(`leader: ${error}`)
  const batch = async (url: string, headers: Record<string, string>, oid: string, size: number) =>
    (await (
      await fetch(`${url}/info/lfs/objects/batch`, {
        method: 'POST',
        headers: {
          'content-type': 'application/vnd.git-lfs+json',
          accept: 'application/vnd.git-lfs+json',
          ...headers,
        },
        body: JSON.stringify({
          operation: 'download',
          transfers: ['basic'],
          objects: [{ oid, size }],
        }),
      })
    ).json()) as { objects?: { actions?: { download?: unknown } }[] }
  const pointer = await fetch(`${peer}/api/v1/repos/ada/lighthouse/raw/big.bin`, {
    headers: { authorization: `token ${seeded.token}` },
  }).then((answer) => answer.text())
  const oid = /sha256:([0-9a-f]{64})/.exec(pointer)?.[1] ?? ''
  const ours = await batch(`${here.url}/${follows}.git`, basic(`x:${here.token}`), oid, 60_000)
  if (!ours.objects?.[0]?.actions?.download) wrong.push(`the file ${oid} did not come`)
  await seeded.api('POST', '/user/repos', { name: 'copy' })
  const whole = `${OWNER.workspace}/whole`
  await api('POST', `/repos/${whole}/mirror`, {
    url: `${peer}/ada/copy.git`,
    role: 'follower',
    provider: 'gitea',
    secret,
  })
  const failed = await synced(api, whole)
  if (failed !== null) wrong.push(`follower: ${failed}`)
  const answer = await batch(`${peer}/ada/copy.git`, basic(secret), oid, 60_000)
  if (!answer.objects?.[0]?.actions?.download) wrong.push(`the remote lacks ${oid}`)
  return wrong
}
