/** The pages of releases, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createIssue } from '#features/issues/create-issue.ts'
import { listReleases } from '#features/releases/list-releases.ts'
import { runForge } from '../../features/oauth/running.ts'
import { formOf } from './form-of.ts'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  await forge.commit(
    'acme/site',
    'main',
    { 'README.md': 'one\n' },
    { message: 'Begin <b>boldly</b>' },
  )
  await forge.call(createIssue, ada, { repo: 'acme/site', title: 'x' })
  return {
    forge,
    ada,
    bob,
    browser: await forge.browser('ada'),
    other: await forge.browser('bob'),
    visitor: await forge.browser(null),
  }
}

const list = '/acme/site/releases'

test('a release is drafted with notes, given files, published, found from the repository, and deleted', async () => {
  const { forge, ada, browser, other, visitor } = await setUp()
  expect((await browser.open(list)).html).toContain('No releases yet')
  for (const one of [other, visitor]) expect((await one.open(`${list}/new`)).status).not.toBe(200)
  const empty = await browser.open(`${list}/new`)
  const noted = await browser.press(empty.html, `${list}/new`, { tag_name: 'v1.0', do: 'notes' })
  expect(noted.status).toBe(200)
  const typed = formOf(noted.html, `${list}/new`)
  expect([typed.get('tag_name'), typed.get('name')]).toEqual([['v1.0'], ['v1.0']])
  expect(typed.get('body')?.[0]).toContain('- Begin \\<b\\>boldly\\</b\\>')
  expect((await forge.call(listReleases, ada, { repo: 'acme/site' })).items).toEqual([])

  const saved = await browser.press(noted.html, `${list}/new`, {
    do: 'draft',
    name: 'One & only',
    body: typed.get('body')?.[0] ?? '',
  })
  const [draft] = (await forge.call(listReleases, ada, { repo: 'acme/site' })).items
  const here = `${list}/${draft?.id}`
  expect([saved.status, saved.location]).toEqual([303, here])
  const page = await browser.open(here)
  expect([
    page.html.includes('One &amp; only'),
    page.html.includes('Draft'),
    page.html.includes('&lt;b&gt;boldly'),
    page.html.includes('<b>boldly'),
  ]).toEqual([true, true, true, false])
  for (const one of [other, visitor]) expect((await one.open(here)).status).toBe(404)

  // The form with a file, as a browser sends it.
  const bytes = crypto.getRandomValues(new Uint8Array(300_000))
  const send = async (
    name: string,
    content: Uint8Array<ArrayBuffer> | null,
    csrf = formOf(page.html, `${here}/assets`).get('csrf')?.[0] ?? '',
  ) => {
    const data = new FormData()
    data.append('csrf', csrf)
    data.append('label', 'For everybody')
    data.append('file', new File(content ? [content] : [], name, { type: 'application/zip' }))
    return fetch(`${forge.url}${here}/assets`, {
      method: 'POST',
      body: data,
      redirect: 'manual',
      headers: { cookie: 'hearth=ada-cookie' },
    })
  }
  expect((await send('app.zip', bytes)).status).toBe(303)
  const again = await send('app.zip', bytes)
  expect([again.status, (await again.text()).includes('has a file app.zip already')]).toEqual([
    422,
    true,
  ])
  const none = await send('', null)
  expect([none.status, (await none.text()).includes('Choose a file first.')]).toEqual([422, true])
  expect((await send('b.zip', bytes, 'forged')).status).toBe(403)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(
    (await forge.call(listReleases, ada, { repo: 'acme/site' })).items[0]?.assets,
  ).toMatchObject([
    {
      name: 'app.zip',
      label: 'For everybody',
      size_in_bytes: 300_000,
      sha256,
      content_type: 'application/zip',
    },
  ])

  const withFile = await browser.open(here)
  expect(withFile.html).toContain(sha256)
  const published = await browser.press(withFile.html, `${here}/publish`, {})
  expect(published.location).toBe(`${list}/tag/v1.0`)
  const shown = await visitor.open(`${list}/tag/v1.0`)
  expect([
    shown.status,
    shown.html.includes('For everybody'),
    shown.html.includes('293 KiB'),
    ['zip', 'tar.gz'].every((format) => shown.html.includes(`Source code (${format})`)),
    shown.html.includes('Add a file'),
  ]).toEqual([200, true, true, true, false])
  const download = /href="(\/acme\/site\/releases\/download\/[^"]+)"/.exec(shown.html)?.[1] ?? ''
  expect(
    createHash('sha256')
      .update(await (await fetch(forge.url + download)).bytes())
      .digest('hex'),
  ).toBe(sha256)
  const source = /href="(\/acme\/site\/archive\/[^"]+)"/.exec(shown.html)?.[1] ?? ''
  expect((await (await fetch(forge.url + source)).bytes()).subarray(0, 2)).toEqual(
    new Uint8Array([0x50, 0x4b]),
  )
  expect((await visitor.open('/acme/site')).html).toContain('Latest release')
  expect((await visitor.open(`${list}/latest`)).location).toBe(`${list}/tag/v1.0`)
  expect((await visitor.open(here)).location).toBe(`${list}/tag/v1.0`)
  const feed = await (await fetch(`${forge.url}/acme/site/releases.atom`)).text()
  expect([
    feed.includes('<title>One &amp; only</title>'),
    feed.includes(`${forge.url}/acme/site/releases/tag/v1.0`),
  ]).toEqual([true, true])

  // A refused form comes back with what was typed.
  const edit = await browser.open(`${here}/edit`)
  const refused = await browser.press(edit.html, `${here}/edit`, {
    tag_name: 'a b',
    body: 'kept',
    do: 'save',
  })
  expect([
    refused.status,
    refused.html.includes('kept'),
    refused.html.includes('The name of the tag has a space'),
  ]).toEqual([422, true, true])
  expect(
    (await browser.press(edit.html, `${here}/edit`, { body: 'Better notes', do: 'save' })).location,
  ).toBe(`${list}/tag/v1.0`)

  const own = await browser.open(`${list}/tag/v1.0`)
  expect((await browser.press(own.html, `${here}/delete`, {})).location).toBe(list)
  expect((await browser.open(list)).html).toContain('No releases yet')
  expect((await visitor.open('/acme/site')).html).not.toContain('Latest release')
})

test('files are chosen before a release is saved, and a refused form keeps them', async () => {
  const { forge, ada, browser } = await setUp()
  const page = await browser.open(`${list}/new`)
  const csrf = formOf(page.html, `${list}/new`).get('csrf')?.[0] ?? ''
  const send = async (fields: [string, string | File][]) => {
    const form = new FormData()
    for (const [name, value] of [['csrf', csrf] as const, ...fields]) form.append(name, value)
    const answer = await fetch(`${forge.url}${list}/new`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
      headers: { cookie: 'hearth=ada-cookie' },
    })
    return { status: answer.status, html: await answer.text() }
  }
  const program = new File(['program'], 'program.bin')
  const refused = await send([
    ['tag_name', 'not a tag'],
    ['files', program],
    ['do', 'publish'],
  ])
  expect([refused.status, refused.html.includes('<bdi>program.bin</bdi>')]).toEqual([422, true])
  const kept =
    formOf(refused.html, `${list}/new`)
      .get('files')
      ?.filter((one) => one !== '') ?? []
  expect(kept.length).toBe(1)
  expect((await forge.call(listReleases, ada, { repo: 'acme/site' })).items).toEqual([])
  const published = await send([
    ['tag_name', 'v1.0'],
    ['files', kept[0] ?? ''],
    ['files', new File(['text'], 'notes.txt')],
    ['do', 'publish'],
  ])
  expect(published.status).toBe(303)
  const [release] = (await forge.call(listReleases, ada, { repo: 'acme/site' })).items
  expect([release?.draft, release?.assets.map(({ name }) => name)]).toEqual([
    false,
    ['notes.txt', 'program.bin'],
  ])
})
