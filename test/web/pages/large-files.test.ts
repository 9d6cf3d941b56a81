/** Pages of files of Git LFS and their locks, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { storeLfsObject } from '#features/lfs/store-lfs-object.ts'
import { listFileLocks } from '#features/lfs/list-file-locks.ts'
import { incoming, fileOf, pointerOf, REPO } from '../../features/lfs/fixture.ts'
import { runForge } from '../../features/oauth/running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
const otto = await forge.user('otto')
await forge.workspace('acme', { owner: ada, members: [otto] })
await forge.repo(REPO, { as: ada, private: true })
await forge.call(addCollaborator, ada, { repo: REPO, invitee: 'otto', role: 'write' })
const picture = 'GIF89a and so on'
await forge.commit(REPO, 'main', {
  '.gitattributes': '*.png filter=lfs\n*.html filter=lfs\n',
  'cat.png': pointerOf(picture),
  'page.html': pointerOf('<script>alert(1)</script>'),
  'missing.png': pointerOf('nowhere'),
})
for (const text of [picture, '<script>alert(1)</script>'])
  await forge.call(storeLfsObject, ada, { repo: REPO, ...fileOf(text) }, { bytes: incoming(text) })
const browser = await forge.browser('ada')
const writer = await forge.browser('otto')
const LOCKS = `/${REPO}/locks`

test('a page shows the file, and says when it is not here', async () => {
  const { html } = await browser.open(`/${REPO}/blob/main/cat.png`)
  expect(html).toContain(`src="/${REPO}/raw/main/cat.png"`)
  expect(html).toContain('Stored with Git LFS')
  const missing = await browser.open(`/${REPO}/blob/main/missing.png`)
  expect(missing.html).toContain('git lfs push --all')
})

test('raw links send the bytes of the file, which never run on this site', async () => {
  const page = await browser.open(`/${REPO}/raw/main/page.html`)
  expect([page.status, page.html]).toEqual([200, '<script>alert(1)</script>'])
  expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain('sandbox')
  expect((await browser.open(`/${REPO}/raw/main/missing.png`)).html).toBe(pointerOf('nowhere'))
  const visitor = await forge.browser(null)
  expect((await visitor.open(`/${REPO}/raw/main/cat.png`)).status).not.toBe(200)
})

test('a file is locked and unlocked on the page, by others only with Maintain', async () => {
  const locks = async () =>
    (await forge.call(listFileLocks, ada, { repo: REPO })).items.map(({ path }) => path)
  const empty = await browser.open(LOCKS)
  expect(empty.html).toContain('No locks')
  // Whoever has settings stays in them; a writer has none.
  expect(empty.html).toContain(`href="/${REPO}/settings/rulesets"`)
  const refused = await browser.press(empty.html, LOCKS, { path: '../x' })
  expect([refused.status, refused.html.includes('value="../x"')]).toEqual([422, true])
  await browser.press(empty.html, LOCKS, { path: 'cat.png' })
  expect(await locks()).toEqual(['cat.png'])
  expect((await browser.open(`/${REPO}/blob/main/cat.png`)).html).toContain('locked by ada')
  // A writer has no button for the lock of somebody else.
  const seen = await writer.open(LOCKS)
  expect(seen.html).toContain('cat.png')
  expect(seen.html).not.toContain(`href="/${REPO}/settings/rulesets"`)
  expect(seen.html).not.toContain(`${LOCKS}/remove`)
  await writer.press(seen.html, LOCKS, { path: 'b.png' })
  const { html } = await browser.open(LOCKS)
  await browser.press(html, `${LOCKS}/remove`, {})
  expect(await locks()).toEqual(['cat.png'])
})
