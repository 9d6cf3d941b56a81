/** Uploads over REST and tools: types, names and limits. */
import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { anonymous } from '#core/caller.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { uploadAttachment, MAX_UNUSED } from '#features/attachments/upload-attachment.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { setQuota } from '#features/site/set-quota.ts'
import type { Attachment } from '#features/attachments/index.ts'
import { refusal } from '../../world.ts'
import { serveSite } from '../../web/visitor.ts'
import { makeAttachmentWorld, PNG, REPO } from './fixture.ts'

async function makeServed(options: Parameters<typeof makeAttachmentWorld>[0] = {}) {
  const all = await makeAttachmentWorld(options)
  const { world, rita } = all
  const site = serveSite(world)
  const { secret } = await world.call(createToken, rita, { name: 'ci', scopes: ['issues:write'] })
  const authorization = `Bearer ${secret ?? ''}`
  const send = async (query: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const response = await fetch(`${site.url}/api/repos/${REPO}/attachments?${query}`, {
      method: 'POST',
      body,
      headers: { authorization, ...headers },
    })
    return { status: response.status, answer: (await response.json()) as Attachment }
  }
  const blobs = join(world.data, 'blobs')
  const stored = () =>
    existsSync(blobs) ? readdirSync(blobs).flatMap((shard) => readdirSync(join(blobs, shard))) : []
  const incoming = () =>
    existsSync(join(world.data, 'tmp/blobs')) ? readdirSync(join(world.data, 'tmp/blobs')) : []
  return { ...all, site, send, stored, incoming }
}

test('a file is taken as the body, as a form, or as base64, and its bytes decide its type', async () => {
  const { world, rita, send, stored } = await makeServed()
  const raw = await send('name=cat.png', PNG, { 'content-type': 'text/html' })
  expect(raw.status).toBe(201)
  expect(raw.answer).toMatchObject({
    name: 'cat.png',
    content_type: 'image/png',
    size_in_bytes: PNG.length,
    created_by: { username: 'rita' },
    url: `${world.hearth.settings.site_url}/${REPO}/attachments/${raw.answer.id}/cat.png`,
    markdown: `![cat.png](/${REPO}/attachments/${raw.answer.id}/cat.png)`,
  })

  const form = new FormData()
  form.set('note', 'an unknown field')
  form.set('file', new Blob(['<script>alert(1)</script>'], { type: 'image/png' }), 'evil.png')
  const sent = await send('', form)
  expect([sent.status, sent.answer.name, sent.answer.content_type]).toEqual([
    201,
    'evil.png',
    'application/octet-stream',
  ])
  expect(sent.answer.markdown.startsWith('[evil.png](')).toBe(true)

  const named = new FormData()
  named.set('name', 'notes.txt')
  named.set('file', new Blob(['text']), 'other.bin')
  expect((await send('', named)).answer).toMatchObject({
    name: 'notes.txt',
    content_type: 'text/plain; charset=utf-8',
  })

  const tool = await world.call(uploadAttachment, rita, {
    repo: REPO,
    name: 'cat.png',
    data: PNG.toString('base64'),
  })
  expect(tool.sha256).toBe(raw.answer.sha256)
  // The same bytes are stored once.
  expect(stored()).toHaveLength(3)
})

test('names become names of files, whatever was sent', async () => {
  const { upload, rita } = await makeAttachmentWorld()
  const names: Record<string, string> = {
    '../../etc/passwd': 'etc-passwd',
    'C:\\evil\\a.png': 'C-evil-a.png',
    'a\u0000b\u202etxt.exe': 'a-b-txt.exe',
    '…': '…',
    '   ': 'file',
    '.htaccess': 'htaccess',
    'Bildschirmfoto um 10:00 Uhr.png': 'Bildschirmfoto um 10-00 Uhr.png',
    'a[b](c).png': 'a[b](c).png',
  }
  for (const [given, name] of Object.entries(names))
    expect([given, (await upload(rita, given)).name]).toEqual([given, name])
  const long = await upload(rita, `${'ü'.repeat(400)}.png`)
  expect([Buffer.byteLength(long.name) <= 200, long.name.endsWith('ü.png')]).toEqual([true, true])
  const hostile = await upload(rita, 'a[b](c).png')
  expect(hostile.markdown).toBe(
    `![a\\[b\\](c).png](/${REPO}/attachments/${hostile.id}/a%5Bb%5D%28c%29.png)`,
  )
})

test('nothing that runs is shown in place: SVG, HTML and scripts are downloads without a type', async () => {
  const { upload, rita } = await makeAttachmentWorld()
  const type = async (name: string, text: string) =>
    (await upload(rita, name, Buffer.from(text, 'latin1'))).content_type
  for (const [name, text] of [
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ['a.html', '<!doctype html><script>alert(1)</script>'],
    ['a.xhtml', '<?xml version="1.0"?>'],
    ['a.js', 'alert(1)'],
    ['a.png', '<svg/>'],
    ['a.pdf', 'MZ'],
  ] as const)
    expect([name, await type(name, text)]).toEqual([name, 'application/octet-stream'])
  for (const [text, expected] of [
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
    ['\0\0\0\x20ftypavif', 'image/avif'],
    ['\0\0\0\x20ftypisom', 'video/mp4'],
    ['\0\0\0\x20ftypheic', 'application/octet-stream'],
    ['\x1aE\xdf\xa3', 'video/webm'],
    ['%PDF-1.7', 'application/pdf'],
  ] as const)
    expect(await type('x', text)).toBe(expected)
})

test('too much, nothing, a form without a file and visitors are refused, and leave nothing', async () => {
  const { world, site, send, stored, incoming, ada } = await makeServed({
    settings: { attachments: { max_bytes: 1000 } },
  })
  const endless = new ReadableStream({
    start(controller) {
      for (let at = 0; at < 20; at++) controller.enqueue(new Uint8Array(100))
      controller.close()
    },
  })
  expect((await send('name=a', 'x'.repeat(1001))).status).toBe(413)
  expect((await send('name=a', endless)).status).toBe(413)
  expect((await send('name=a', '')).status).toBe(422)
  expect((await send('', 'x')).status).toBe(422)
  const form = new FormData()
  form.set('name', 'a')
  expect((await send('', form)).status).toBe(422)
  const big = new FormData()
  big.set('file', new Blob(['x'.repeat(1001)]), 'a')
  expect((await send('', big)).status).toBe(413)
  const visitor = await fetch(`${site.url}/api/repos/${REPO}/attachments?name=a`, {
    method: 'POST',
    body: 'x',
  })
  expect(visitor.status).toBe(401)
  const { pull } = await world.call(createPull, ada, { repo: REPO, title: 'A fork' })
  expect(
    await refusal(
      world.call(uploadAttachment, ada, {
        repo: `${REPO}/pull/${pull.number}`,
        name: 'a',
        data: 'eA==',
      }),
    ),
  ).toMatchObject({ status: 422, field: 'repo' })
  // Of the empty file there is a blob without a row, which the sweep deletes.
  expect([stored().length <= 1, incoming()]).toEqual([true, []])
  expect(world.hearth.db.all('SELECT id FROM attachments')).toEqual([])
})

test('readers of a private repository may upload, others learn nothing of it', async () => {
  const { upload, rita, eve } = await makeAttachmentWorld({ private: true })
  expect((await upload(rita)).name).toBe('cat.png')
  expect(await refusal(upload(eve))).toMatchObject({ status: 404 })
  expect(await refusal(upload(anonymous as never))).toMatchObject({ status: 401 })
})

test('uploads that no text names are limited, and used ones are not', async () => {
  const { world, upload, rita, otto, issue } = await makeAttachmentWorld()
  const { number } = await issue(rita, '')
  let last = ''
  for (let at = 0; at < MAX_UNUSED; at++) last = (await upload(rita, `${at}.png`)).markdown
  expect(await refusal(upload(rita))).toMatchObject({ status: 409, reason: 'limit_reached' })
  expect((await upload(otto)).id).toBeString()
  await world.call(addComment, rita, { repo: REPO, number, body: last })
  expect((await upload(rita)).id).toBeString()
})

test('the quota of the workspace counts them', async () => {
  const { world, upload, rita } = await makeAttachmentWorld()
  const root = await world.user('root', { site_admin: true })
  const room = PNG.length * 2 - 1
  await world.call(setQuota, root, { workspace: 'acme', artifacts_bytes: room })
  await upload(rita)
  expect(await refusal(upload(rita, 'dog.png'))).toMatchObject({ status: 403, reason: 'quota' })
})
