/** Who may read through, and which names never leave the workspace. */
import { expect, test } from 'bun:test'
import { storeBytes } from '#features/packages/formats/upload.ts'
import { deletePackage } from '#features/packages/delete-package.ts'
import { purgePackages } from '#features/packages/purge-packages.ts'
import { openPackageUpstream } from '#features/packages/upstreams/open-package-upstream.ts'
import { publishPackageVersion } from '#features/packages/publish-package-version.ts'
import type { UserCaller } from '#core/caller.ts'
import { refusal } from '../../../world.ts'
import { makeServedUpstream, workspace } from './fixture.ts'
import { publishThere } from './packuments.ts'

type Served = Awaited<ReturnType<typeof makeServedUpstream>>

async function publish({ world }: Served, who: UserCaller, package_name: string) {
  const blob = await storeBytes(world.hearth, Buffer.from(package_name))
  return world.call(publishPackageVersion, who, {
    workspace,
    package_type: 'npm',
    package_name,
    publication: {
      version: '2.0.0',
      digest: `sha256:${'0'.repeat(64)}`,
      metadata: { name: package_name, version: '2.0.0' },
      piece: JSON.stringify({ name: package_name, version: '2.0.0' }),
      files: [
        {
          path: `${package_name}-2.0.0.tgz`,
          sha256: blob.sha256,
          size: blob.size,
          digests: blob.digests,
          content_type: 'application/octet-stream',
        },
      ],
      tags: ['latest'],
    },
  })
}

test('only members make the forge fetch, and others hear nothing about any name', async () => {
  const served = await makeServedUpstream('npm')
  const { world, mel, zoe, ada, registry, token, sendAs } = served
  publishThere(served, 'left-pad')
  await publish(served, ada, 'private-one')
  const input = { workspace, package_type: 'npm' as const }
  expect((await world.call(openPackageUpstream, mel, input)).url).toBe(registry.url)
  expect((await refusal(world.call(openPackageUpstream, zoe, input))).status).toBe(404)
  const answers = async (by: string | null) =>
    Promise.all(
      ['left-pad', 'private-one', 'nothing'].map(async (name) => {
        const answer = await sendAs(by, name)
        return [answer.status, (await answer.text()).replace(name, 'NAME')]
      }),
    )
  const strangers = await answers(null)
  expect(strangers[0]?.[0]).toBe(401)
  expect(new Set(strangers.map(String)).size).toBe(1)
  const signedIn = await answers(await token(zoe))
  expect(signedIn[0]?.[0]).toBe(404)
  expect(new Set(signedIn.map(String)).size).toBe(1)
  const withoutScope = await answers(await token(mel, ['issues:read']))
  expect(withoutScope[0]?.[0]).toBe(403)
  expect(new Set(withoutScope.map(String)).size).toBe(1)
  expect(registry.requests).toEqual([])
})

test('names of the workspace never fall through: published, private, deleted, reserved', async () => {
  const served = await makeServedUpstream('npm', { reserved_prefixes: ['@acme/', 'inner-'] })
  const { world, ada, registry, send } = served
  const names = ['ours', 'gone', 'inner-tool']
  for (const name of names) publishThere(served, name)
  await publish(served, ada, 'ours')
  await publish(served, ada, 'gone')
  await world.call(deletePackage, ada, {
    workspace,
    package_type: 'npm',
    package_name: 'gone',
    confirm: 'gone',
  })
  // mel may not see what ada published, and does not get what somebody else calls so.
  for (const name of [...names, '@acme/new', '@ACME/new', '@acme%2fnew'])
    expect([name, (await send(name)).status]).toEqual([name, 404])
  expect((await send('ours/-/ours-1.0.0.tgz')).status).toBe(404)
  await world.write((tx) => {
    tx.db.run(`UPDATE packages SET purge_at = '2020-01-01T00:00:00.000Z' WHERE name = 'gone'`)
  })

  await purgePackages.run(
    { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_1' },
    null,
  )
  expect((await send('gone')).status).toBe(404)
  expect(registry.requests).toEqual([])
})

test('what is published later wins over what was cached', async () => {
  const served = await makeServedUpstream('npm')
  publishThere(served, 'left-pad')
  const { ada, send, token, sendAs } = served
  expect(Object.keys((await (await send('left-pad')).json()).versions)).toEqual(['1.0.0'])
  await publish(served, ada, 'left-pad')
  const own = await sendAs(await token(ada), 'left-pad')
  expect(Object.keys((await own.json()).versions)).toEqual(['2.0.0'])
  expect((await send('left-pad')).status).toBe(404)
})
