/** Changing files on the site, as a browser without a script does it. */
import { expect, test } from 'bun:test'
import { getPull, listPulls } from '#features/pulls/index.ts'
import { createCommit, getCommit, getFile, updateRepo } from '#features/repos/index.ts'
import { randomBase62 } from '#lib/hash.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
const bob = await forge.user('bob')
await forge.workspace('acme', { owner: ada, members: [bob] })
await forge.repo(REPO, { as: ada })
await forge.call(updateRepo, ada, { repo: REPO, protected: false })
const owner = await forge.browser('ada')
const member = await forge.browser('bob')
const visitor = await forge.browser(null)

const read = async (path: string, ref = 'main') =>
  (await forge.call(getFile, ada, { repo: REPO, path, ref })).content
const here = (mode: string, rest: string) => `/${REPO}/${mode}/${rest}`
const put = (path: string, content: string) =>
  forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: 'Meanwhile',
    files: [{ path, action: 'put', content }],
  })

test('the first file of an empty repository is created on the website', async () => {
  const page = await owner.open(here('new', 'main'))
  const sent = await owner.press(page.html, here('new', 'main'), {
    target: 'branch',
    path: 'src/app.ts',
    content: 'one\ntwo\n',
  })
  expect([sent.status, sent.location]).toEqual([303, `/${REPO}/blob/main/src/app.ts`])
  expect(await read('src/app.ts')).toBe('one\ntwo\n')
  expect(await forge.call(getCommit, ada, { repo: REPO, ref: 'main' })).toMatchObject({
    title: 'Add app.ts',
    author: { actor: { username: 'ada' } },
  })
  const again = await owner.press(
    (await owner.open(here('new', 'main'))).html,
    here('new', 'main'),
    { target: 'branch', path: 'src/app.ts', content: 'three' },
  )
  expect([
    again.status,
    again.html.includes('exists already'),
    again.html.includes('>three</textarea>'),
  ]).toEqual([422, true, true])
  expect(await read('src/app.ts')).toBe('one\ntwo\n')
})

test('a file is changed, renamed and deleted', async () => {
  const at = here('edit', 'main/src/app.ts')
  const page = await owner.open(at)
  expect(page.html).toContain('>one\ntwo\n</textarea>')
  const none = await owner.press(page.html, at, { target: 'branch', content: 'one\ntwo\n' })
  expect([none.status, none.html.includes('There are no changes yet')]).toEqual([422, true])
  const sent = await owner.press(page.html, at, {
    target: 'branch',
    content: '\n</textarea><script>alert(1)</script>\n',
    message: 'Rewrite',
    description: 'Because.',
    path: 'lib/app.ts',
  })
  expect([sent.status, sent.location]).toEqual([303, `/${REPO}/blob/main/lib/app.ts`])
  expect(await read('lib/app.ts')).toBe('\n</textarea><script>alert(1)</script>\n')
  const shown = await owner.open(here('edit', 'main/lib/app.ts'))
  expect([
    shown.html.includes('>\n\n&lt;/textarea>'),
    shown.html.includes('<script>alert'),
  ]).toEqual([true, false])
  expect((await forge.call(getCommit, ada, { repo: REPO, ref: 'main' })).message).toBe(
    'Rewrite\n\nBecause.\n',
  )
  const gone = await owner.press(
    (await owner.open(here('delete', 'main/lib/app.ts'))).html,
    here('delete', 'main/lib/app.ts'),
    { target: 'branch' },
  )
  expect([gone.status, gone.location]).toEqual([303, `/${REPO}/tree/main/lib`])
  expect((await owner.open(here('edit', 'main/lib/app.ts'))).status).toBe(404)
})

test('lines keep their line ends', async () => {
  await put('dos.txt', 'a\r\nb\r\n')
  const page = await owner.open(here('edit', 'main/dos.txt'))
  await owner.press(page.html, here('edit', 'main/dos.txt'), {
    target: 'branch',
    content: 'a\r\nc\r\n',
  })
  expect(await read('dos.txt')).toBe('a\r\nc\r\n')
})

test('a moved branch is no conflict, a changed file is, and the typed text is kept', async () => {
  await put('note.txt', 'first\n')
  const at = here('edit', 'main/note.txt')
  const page = await owner.open(at)
  await put('other.txt', 'elsewhere\n')
  expect((await owner.press(page.html, at, { target: 'branch', content: 'mine\n' })).status).toBe(
    303,
  )
  expect([await read('note.txt'), await read('other.txt')]).toEqual(['mine\n', 'elsewhere\n'])

  const stale = await owner.open(at)
  await put('note.txt', 'theirs\n')
  const refused = await owner.press(stale.html, at, {
    target: 'branch',
    content: 'my long work\n',
    message: 'Mine',
  })
  expect([
    refused.status,
    refused.html.includes('my long work\n</textarea>'),
    refused.html.includes('>theirs<'),
    refused.html.includes('value="Mine"'),
  ]).toEqual([422, true, true, true])
  expect(await read('note.txt')).toBe('theirs\n')
  const knowing = await owner.press(refused.html, at, { target: 'branch', content: 'both\n' })
  expect([knowing.status, await read('note.txt')]).toEqual([303, 'both\n'])

  const deleted = await owner.open(at)
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: 'Gone',
    files: [{ path: 'note.txt', action: 'delete' }],
  })
  const lost = await owner.press(deleted.html, at, { target: 'branch', content: 'still here\n' })
  expect([
    lost.status,
    lost.html.includes('still here\n</textarea>'),
    lost.html.includes('is gone from'),
  ]).toEqual([422, true, true])
})

test('a change goes to a new branch with a pull request, which is the default on a protected branch', async () => {
  await put('guide.md', 'Guide\n')
  await forge.call(updateRepo, ada, { repo: REPO, protected: true })
  const at = here('edit', 'main/guide.md')
  const page = await member.open(at)
  expect([
    page.html.includes('<code>main</code> is protected'),
    page.html.includes('<input type="hidden" name="target" value="new">'),
    page.html.includes('value="branch"'),
  ]).toEqual([true, true, false])
  const barred = await member.press(page.html, at, { content: 'Straight\n', target: 'branch' })
  expect([
    barred.status,
    barred.html.includes('open a pull request'),
    barred.html.includes('Straight\n</textarea>'),
  ]).toEqual([422, true, true])
  const sent = await member.press(page.html, at, {
    content: 'Better guide\n',
    target: 'new',
    new_branch: 'bob/guide',
    message: 'Better',
  })
  expect(sent.status).toBe(303)
  const number = Number(/\/pull\/(\d+)$/.exec(sent.location)?.[1])
  expect((await forge.call(getPull, ada, { repo: REPO, number })).pull).toMatchObject({
    title: 'Better',
    head: { ref: 'bob/guide' },
    base: { ref: 'main' },
  })
  expect([await read('guide.md'), await read('guide.md', 'bob/guide')]).toEqual([
    'Guide\n',
    'Better guide\n',
  ])
  await forge.call(updateRepo, ada, { repo: REPO, protected: false })
})

test('a preview shows the change and the document, and commits nothing', async () => {
  await put('plan.md', '# Plan\n\nOne\n')
  const at = here('edit', 'main/plan.md')
  const page = await owner.open(at)
  const shown = await owner.press(page.html, at, {
    target: 'branch',
    then: 'preview',
    content: '# Plan\n\n**Two** <script>alert(1)</script>\n',
    message: 'Mine',
  })
  expect(shown.status).toBe(200)
  expect(shown.html).toContain('<strong>Two</strong>')
  expect(shown.html).toContain('<tr class="add">')
  expect(shown.html).toContain('**Two** &lt;script>alert(1)&lt;/script>\n</textarea>')
  expect(shown.html).toContain('value="Mine"')
  expect(shown.html).not.toContain('<script>alert')
  expect(await read('plan.md')).toBe('# Plan\n\nOne\n')
})

test('without write access a change comes from a fork, and a refused one leaves no draft', async () => {
  const eve = await forge.user('eve')
  await put('open.txt', 'open\n')
  await forge.call(updateRepo, ada, { repo: REPO, private: false })
  const outsider = await forge.browser('eve')
  const at = here('edit', 'main/open.txt')
  const page = await outsider.open(at)
  expect([
    page.status,
    page.html.includes('The change goes to a fork'),
    page.html.includes('name="target"'),
  ]).toEqual([200, true, false])
  const stale = await outsider.open(at)
  const sent = await outsider.press(page.html, at, {
    content: 'opened\n',
    message: 'Open it',
    description: 'Because it was closed.',
    target: 'branch',
  })
  const number = Number(/\/pull\/(\d+)$/.exec(sent.location)?.[1])
  const { pull } = await forge.call(getPull, ada, { repo: REPO, number })
  expect(pull).toMatchObject({
    title: 'Open it',
    body: 'Because it was closed.',
    status: 'open',
    author: { username: 'eve' },
    base: { ref: 'main' },
    changed_files: 1,
  })
  expect(pull.fork).not.toBeNull()
  expect(await read('open.txt')).toBe('open\n')

  // The same file again, after its branch has another version of it.
  await put('open.txt', 'theirs\n')
  const before = (await forge.call(listPulls, ada, { repo: REPO, state: 'all' })).items.length
  const refused = await outsider.press(stale.html, at, { content: 'my long work\n' })
  expect([
    refused.status,
    refused.html.includes('my long work\n</textarea>'),
    refused.html.includes('has changed on main'),
  ]).toEqual([422, true, true])
  expect((await forge.call(listPulls, ada, { repo: REPO, state: 'all' })).items.length).toBe(before)
  const bad = await outsider.press(
    (await outsider.open(here('new', 'main'))).html,
    here('new', 'main'),
    { path: 'a/../b', content: 'x' },
  )
  expect([bad.status, bad.html.includes('>x</textarea>')]).toEqual([422, true])
  expect(
    (await forge.call(listPulls, ada, { repo: REPO, author: eve.username })).items.length,
  ).toBe(1)
})

test('files are uploaded as one commit; too many bytes are refused and the typed text is kept', async () => {
  const at = here('upload', 'main/docs')
  await put('docs/old.txt', 'old\n')
  const page = await owner.open(at)
  expect([page.status, page.html.includes('enctype="multipart/form-data"')]).toEqual([200, true])
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
  const head = /name="expected_head" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
  const bytes = new Uint8Array([0, 255, 1, 254])
  const send = (files: [string, BlobPart][], message = '') => {
    const data = new FormData()
    for (const [name, value] of Object.entries({
      csrf,
      branch: 'main',
      expected_head: head,
      folder: 'docs/new',
      message,
      target: 'branch',
    }))
      data.append(name, value)
    for (const [name, content] of files) data.append('files', new Blob([content]), name)
    return owner.send(at, data)
  }
  const sent = await send([
    ['a.bin', bytes],
    ['b.txt', 'b\n'],
  ])
  expect([sent.status, sent.location]).toEqual([303, `/${REPO}/tree/main/docs/new`])
  expect([
    await read('docs/new/b.txt'),
    (await forge.call(getFile, ada, { repo: REPO, path: 'docs/new/a.bin', ref: 'main' })).content,
  ]).toEqual(['b\n', Buffer.from(bytes).toString('base64')])
  expect(await forge.call(getCommit, ada, { repo: REPO, ref: 'main' })).toMatchObject({
    title: 'Add 2 files',
  })
  // A folder comes with the paths of its files, as browsers send them.
  expect((await send([['pictures/oven/a.txt', 'in a folder\n']])).status).toBe(303)
  expect(await read('docs/new/pictures/oven/a.txt')).toBe('in a folder\n')
  const outside = await send([['../../outside.txt', 'x']], 'Kept')
  expect([outside.status, outside.html.includes('value="Kept"')]).toEqual([422, true])
  for (const [files, words] of [
    [[], 'Choose at least one file'],
    [
      [
        ['a', 'x'],
        ['a', 'y'],
      ],
      'the same name',
    ],
    [[['big', new Uint8Array(26 * 1024 * 1024)]], 'more than 25 MiB'],
  ] as [[string, BlobPart][], string][]) {
    const refused = await send(files, 'Kept')
    expect([
      refused.status,
      refused.html.includes(words),
      refused.html.includes('value="Kept"'),
    ]).toEqual([422, true, true])
  }
  expect(await forge.call(getCommit, ada, { repo: REPO, ref: 'main' })).toMatchObject({
    title: 'Add a.txt',
  })
})

test('an anonymous visitor signs in first, and text in another encoding cannot be edited', async () => {
  expect((await visitor.open(here('edit', 'main/guide.md'))).location).toContain('/login?next=')
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: 'Latin',
    files: [
      {
        path: 'latin.txt',
        action: 'put',
        encoding: 'base64',
        content: Buffer.from('caf\xe9', 'latin1').toString('base64'),
      },
    ],
  })
  const latin = await owner.open(here('edit', 'main/latin.txt'))
  expect([
    latin.html.includes('cannot be edited here'),
    latin.html.includes('<textarea class="input mono editor"'),
  ]).toEqual([true, false])
})

test('a refused secret keeps what was typed and leads to the bypass of who may', async () => {
  const secret = `ghp_${randomBase62(36)}`
  const at = here('new', 'main')
  const fields = { target: 'branch', path: 'key.env', content: `T=${secret}\n` }
  const page = await owner.open(at)
  const refused = await owner.press(page.html, at, fields)
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('key.env:1 holds')
  expect(refused.html).toContain(secret)
  const [, link = ''] =
    /href="[^"]*(\/acme\/site\/security\/secrets\/bypass\?placeholder=[^"]+)"/.exec(refused.html) ??
    []
  const bypass = await owner.open(link)
  await owner.press(bypass.html, `/${REPO}/security/secrets/bypass`, { reason: 'used_in_tests' })
  const saved = await owner.press(refused.html, at, fields)
  expect(saved.status).toBe(303)
  expect(await read('key.env')).toBe(`T=${secret}\n`)
})
