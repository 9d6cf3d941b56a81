import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { archiveToken } from '#features/repos/archives/archive-token.ts'
import { getArchiveLink } from '#features/repos/archives/get-archive-link.ts'
import { openArchive } from '#features/repos/archives/open-archive.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { makeLife } from '../lifecycle.ts'

const repo = 'acme/site'
const partsOf = (url: string) => {
  const [, token = '', file = ''] =
    /^https:\/\/hearth\.test\/_archive\/([^/]+)\/([^/]+)$/.exec(url) ?? []
  return { token, file }
}

test('no other link can be made of one', async () => {
  const { world, site } = await makeLife()
  const { token, file } = partsOf((await world.call(getArchiveLink, anonymous, { repo })).url)
  const [claims = '', signature = ''] = token.split('.')
  const changed = Buffer.from(
    Buffer.from(claims, 'base64url').toString().replace('acme-site', 'acme-sitf'),
  ).toString('base64url')
  const foreign = await makeWorld()
  const elsewhere = archiveToken(foreign.hearth, {
    repo_id: site.id,
    commit: 'a'.repeat(40),
    folder: file.slice(0, -4),
    expires: 9e15,
  })
  for (const bad of [
    '',
    'x',
    `${changed}.${signature}`,
    `${claims}.${'A'.repeat(43)}`,
    `${claims}.`,
    `.${signature}`,
    elsewhere,
    `${token}x`,
  ]) {
    expect((await refusal(world.call(openArchive, anonymous, { token: bad, file }))).status).toBe(
      404,
    )
  }
  expect(
    (await refusal(world.call(openArchive, anonymous, { token, file: 'other.zip' }))).status,
  ).toBe(404)
})

test('the ending of the name chooses the format', async () => {
  const { world } = await makeLife()
  const formats: string[] = []
  for (const format of ['zip', 'tar.gz'] as const) {
    const { url } = await world.call(getArchiveLink, anonymous, { repo, format })
    expect(url).toEndWith(`.${format}`)
    formats.push((await world.call(openArchive, anonymous, partsOf(url))).format)
  }
  expect(formats).toEqual(['zip', 'tar.gz'])
})
