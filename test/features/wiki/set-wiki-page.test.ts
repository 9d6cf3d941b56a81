import { expect, test } from 'bun:test'
import { getWikiPage } from '#features/wiki/get-wiki-page.ts'
import { listWikiPages } from '#features/wiki/list-wiki-pages.ts'
import { listWikiRevisions } from '#features/wiki/list-wiki-revisions.ts'
import { setWikiPage } from '#features/wiki/set-wiki-page.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { openAttachment } from '#features/attachments/open-attachment.ts'
import { uploadAttachment } from '#features/attachments/upload-attachment.ts'
import { anonymous } from '#core/caller.ts'
import { refusal } from '../../world.ts'
import { makeWikiWorld, REPO } from './fixture.ts'

test('a page is created, changed and renamed, each a commit by its author with an event', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const made = await set(otto, 'First steps', 'Begin')
  expect(made).toMatchObject({
    slug: 'First-steps',
    title: 'First steps',
    body: 'Begin\n',
    message: 'Create First steps',
    author: { actor: { username: 'otto' } },
    html_url: `${world.hearth.settings.site_url}/${REPO}/wiki/First-steps`,
    git_url: `${world.hearth.settings.site_url}/${REPO}.wiki.git`,
  })
  const changed = await set(otto, 'First steps', 'Go on', { message: 'Say more' })
  expect([changed.message, changed.revision === made.revision]).toEqual(['Say more', false])
  const renamed = await world.call(setWikiPage, otto, {
    repo: REPO,
    slug: 'first steps',
    title: 'Second steps?',
    body: 'Go on',
  })
  expect([renamed.slug, renamed.title, renamed.message]).toEqual([
    'Second-steps',
    'Second steps',
    'Rename First steps to Second steps',
  ])
  expect((await world.call(listWikiPages, anonymous, { repo: REPO })).total).toBe(1)
  expect(
    (await world.call(listWikiRevisions, otto, { repo: REPO, slug: 'Second-steps' })).items.map(
      ({ message }) => message,
    ),
  ).toEqual(['Rename First steps to Second steps', 'Say more', 'Create First steps'])
  expect(world.events('wiki.updated').map(({ data }) => data.pages)).toEqual([
    [{ slug: 'First-steps', title: 'First steps', action: 'created' }],
    [{ slug: 'First-steps', title: 'First steps', action: 'edited' }],
    [
      { slug: 'First-steps', title: 'First steps', action: 'deleted' },
      { slug: 'Second-steps', title: 'Second steps', action: 'created' },
    ],
  ])
})

test('a page that somebody changed meanwhile is not overwritten, and other pages do not matter', async () => {
  const { world, ada, otto, set } = await makeWikiWorld()
  const seen = await set(otto, 'Home', 'One')
  await set(ada, 'Other', 'Beside')
  await set(otto, 'Home', 'Two', { expected_revision: seen.revision })
  expect(
    await refusal(set(ada, 'Home', 'Three', { expected_revision: seen.revision })),
  ).toMatchObject({ status: 409, reason: 'head_moved' })
  expect(await refusal(set(ada, 'Home', 'New', { expected_revision: null }))).toMatchObject({
    status: 409,
  })
  expect((await world.call(getWikiPage, ada, { repo: REPO, slug: 'Home' })).body).toBe('Two\n')
  // At once, on different pages: each waits for the other and none is lost.
  await Promise.all([1, 2, 3].map((at) => set(otto, `Page ${at}`, `${at}`)))
  expect((await world.call(listWikiPages, ada, { repo: REPO })).total).toBe(5)
})

test('titles become safe names, one page each, and odd ones are refused', async () => {
  const { world, otto, set } = await makeWikiWorld()
  const slug = async (title: string, at = 'new') =>
    (await world.call(setWikiPage, otto, { repo: REPO, slug: at, title, body: 'x' })).slug
  expect(await slug('CI/CD: "how"?')).toBe('CI-CD-how')
  expect(await slug('../../etc/passwd')).toBe('etc-passwd')
  expect(await slug('.git')).toBe('git')
  expect(await slug('_private')).toBe('private')
  expect(await slug('Überblick', 'guides/x')).toBe('guides/Überblick')
  expect(await slug('Sidebar', '_Sidebar')).toBe('_Sidebar')
  expect(await refusal(slug('git'))).toMatchObject({ status: 409, reason: 'already_exists' })
  for (const title of ['???', '   ', 'a\u0000b', 'ü'.repeat(150)])
    expect([title, (await refusal(slug(title))).status]).toEqual([title, 422])
  for (const folder of ['../x', '.git/x', 'a//x', '_x/y'])
    expect([folder, (await refusal(slug('Name', folder))).status]).toEqual([folder, 422])
  await set(otto, 'Home', 'x')
  expect(await refusal(slug('home', 'Überblick'))).toMatchObject({ status: 409 })
})

test('readers, visitors, forks and texts with tokens are refused, and nothing is written', async () => {
  const { world, ada, otto, rita, set } = await makeWikiWorld()
  expect(await refusal(set(rita, 'Home', 'x'))).toMatchObject({ status: 403, reason: 'role' })
  expect(await refusal(set(anonymous as never, 'Home', 'x'))).toMatchObject({ status: 401 })
  const { secret } = await world.call(createToken, otto, { name: 'x', scopes: ['code:read'] })
  expect(await refusal(set(otto, 'Home', `token ${secret}`))).toMatchObject({
    status: 403,
    reason: 'push_protection',
  })
  await world.commit(REPO, 'main', { 'a.txt': 'a\n' })
  const { pull } = await world.call(createPull, ada, { repo: REPO, title: 'A fork' })
  const fork = `${REPO}/pull/${pull.number}`
  expect(
    await refusal(
      world.call(setWikiPage, ada, { repo: fork, slug: 'Home', title: 'Home', body: 'x' }),
    ),
  ).toMatchObject({ status: 422, field: 'repo' })
  expect(world.events('wiki.updated')).toEqual([])
  expect((await world.call(listWikiPages, ada, { repo: REPO })).items).toEqual([])
})

test('a page shows the files that are attached to it', async () => {
  const { world, otto, rita, set } = await makeWikiWorld()
  const file = await world.call(uploadAttachment, otto, {
    repo: REPO,
    name: 'a.txt',
    data: 'eA==',
  })
  const open = () => world.call(openAttachment, rita, { repo: REPO, id: file.id })
  expect(await refusal(open())).toMatchObject({ status: 404 })
  await set(otto, 'Home', file.markdown)
  expect((await open()).name).toBe('a.txt')
  // An earlier revision still shows it.
  await set(otto, 'Home', 'Without')
  expect((await open()).name).toBe('a.txt')
})
