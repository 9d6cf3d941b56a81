/** Files in texts, as browsers without a script send and open them. */
import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { listAttachments } from '#features/attachments/list-attachments.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { uploadAttachment } from '#features/attachments/upload-attachment.ts'
import { PNG, REPO } from '../../features/attachments/fixture.ts'
import { runForge } from '../../features/oauth/running.ts'
import { formOf } from './form-of.ts'

async function setUp(settings: Parameters<typeof runForge>[0] = {}) {
  const forge = await runForge(settings)
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'Broken' })
  const browser = await forge.browser('ada')
  const here = `/${REPO}/issues/${number}`
  const { html } = await browser.open(here)
  const csrf = formOf(html, `${here}/comments`).get('csrf')?.[0] ?? ''
  const comments = async () =>
    (await forge.call(listComments, ada, { repo: REPO, number })).items.map(({ body }) => body)
  const upload = (name: string, bytes: Uint8Array) =>
    forge.call(uploadAttachment, ada, {
      repo: REPO,
      name,
      data: Buffer.from(bytes).toString('base64'),
    })
  return { forge, ada, browser, here, html, csrf, comments, upload }
}

test('a comment takes files through an ordinary file field, and they show in its text', async () => {
  const { forge, browser, here, html, csrf, comments } = await setUp()
  const form = html.match(/<form[^>]*comments"[^>]*>/)?.[0] ?? ''
  expect(form).toContain('enctype="multipart/form-data"')
  expect(html).toContain('name="attach:body"')
  const data = new FormData()
  data.set('csrf', csrf)
  data.set('body', 'It looks so:')
  data.append('attach:body', new Blob([PNG]), 'cat.png')
  data.append('attach:body', new Blob(['a log']), 'run.log')
  expect((await browser.send(`${here}/comments`, data)).status).toBe(303)
  const [body = ''] = await comments()
  expect(body.replace(/att_\w+/g, 'ID')).toBe(
    `It looks so:\n\n![cat.png](/${REPO}/attachments/ID/cat.png)\n[run.log](/${REPO}/attachments/ID/run.log)`,
  )
  const page = await browser.open(here)
  const src = /<img src="([^"]*\/attachments\/[^"]*)"/.exec(page.html)?.[1] ?? ''
  const picture = await fetch(src.startsWith('http') ? src : forge.url + src)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(Buffer.from(await picture.arrayBuffer()).equals(PNG)).toBe(true)
})

test('a file that is refused gives the form back with what was typed, and a foreign form uploads nothing', async () => {
  const { forge, ada, browser, here, csrf, comments } = await setUp({
    attachments: { max_bytes: 1000 },
  })
  const data = new FormData()
  data.set('csrf', csrf)
  data.set('attach:body', new Blob(['x'.repeat(2000)]), 'big.log')
  data.set('body', 'Typed <words>')
  const refused = await browser.send(`${here}/comments`, data)
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('Typed &lt;words>')
  expect(refused.html).toContain('larger than')
  const foreign = new FormData()
  foreign.set('csrf', 'wrong')
  foreign.set('attach:body', new Blob([PNG]), 'cat.png')
  foreign.set('body', 'x')
  expect((await browser.send(`${here}/comments`, foreign)).status).toBe(403)
  const visitor = await forge.browser(null)
  expect((await visitor.send(`${here}/comments`, foreign)).status).toBe(403)
  expect(await comments()).toEqual([])
  expect((await forge.call(listAttachments, ada, { repo: REPO })).items).toEqual([])
})

test('the script’s upload answers the Markdown of one file', async () => {
  const { browser, csrf } = await setUp()
  const data = new FormData()
  data.set('csrf', csrf)
  data.set('file', new Blob([PNG]), 'image.png')
  const answer = await browser.send(`/${REPO}/attachments`, data)
  expect([answer.status, (JSON.parse(answer.html) as { markdown: string }).markdown]).toEqual([
    201,
    expect.stringMatching(/^!\[image\.png\]\(\/acme\/site\/attachments\/att_\w{26}\/image\.png\)$/),
  ])
  const none = new FormData()
  none.set('csrf', csrf)
  expect((await browser.send(`/${REPO}/attachments`, none)).status).toBe(422)
})

test('files are sent so that nothing in them runs, in parts, and only to those who may read the text', async () => {
  const { forge, browser, upload } = await setUp()
  const html = await upload('evil.html', Buffer.from('<script>alert(1)</script>'))
  const picture = await upload('ü"cat.png', PNG)
  const visitor = await forge.browser(null)
  const path = new URL(picture.url).pathname
  expect((await visitor.open(path)).status).toBe(404)
  const sent = await browser.open(new URL(html.url).pathname)
  expect(Object.fromEntries(sent.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="evil.html"',
    'content-security-policy': expect.stringContaining('sandbox'),
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'cross-origin-resource-policy': 'same-origin',
  })
  const shown = await browser.open(path)
  expect(shown.headers.get('content-disposition')).toBe(
    `inline; filename="_-cat.png"; filename*=UTF-8''%C3%BC-cat.png`,
  )
  expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
  const cookie = { cookie: 'hearth=ada-cookie' }
  const part = await forge.get(path, { ...cookie, range: 'bytes=1-3' })
  expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
    206,
    'PNG',
    `bytes 1-3/${PNG.length}`,
  ])
  expect((await forge.get(path, { ...cookie, range: 'bytes=9999-' })).status).toBe(416)
  const again = await forge.get(path, {
    ...cookie,
    'if-none-match': shown.headers.get('etag') ?? '',
  })
  expect(again.status).toBe(304)
  // The name in the address is only for people.
  expect((await browser.open(path.replace(/[^/]*$/, 'other'))).status).toBe(200)
})
