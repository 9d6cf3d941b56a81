/** Files in texts, in a browser: pasted, dropped, chosen, and without a script. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { PNG } from '../features/attachments/fixture.ts'
import { startForge, visitor, type Forge } from './forge.ts'

const PASSWORD = 'correct horse battery'
const REPO = '/bakery/oven'

let forge: Forge
let page: Page
let problems: string[]

beforeAll(async () => {
  forge = await startForge()
  ;({ page, problems } = await visitor())
  await page.goto(forge.setup ?? '')
  await page.fill('[name=username]', 'ada')
  await page.fill('[name=email]', 'ada@example.com')
  await page.fill('[name=password]', PASSWORD)
  await page.fill('[name=workspace]', 'bakery')
  await page.click('main button')
  await page.goto(`${forge.url}/new`)
  await page.fill('[name=name]', 'oven')
  await page.click('main form button[class*=primary]')
}, 120_000)

/** Puts a file into the hands of the page, as a paste or a drop does. */
const give = (kind: 'paste' | 'drop', name: string, bytes: Buffer, selector: string) =>
  page.evaluate(
    ([kind, name, base64, selector]) => {
      const data = new DataTransfer()
      const binary = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      data.items.add(new File([binary], name, { type: 'image/png' }))
      const area = document.querySelector(selector) as HTMLTextAreaElement
      area.focus()
      const options = { bubbles: true, cancelable: true }
      area.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }),
      )
    },
    [kind, name, bytes.toString('base64'), selector] as const,
  )

test('pictures are pasted, dropped and chosen into a new issue, and shown in it', async () => {
  await page.goto(`${forge.url}${REPO}/issues/new`)
  await page.fill('[name=title]', 'It looks wrong')
  const body = '#field-body'
  await page.fill(body, 'Before')
  await give('paste', 'image.png', PNG, body)
  await page.waitForFunction(
    (selector) => (document.querySelector(selector) as HTMLTextAreaElement).value.includes('att_'),
    body,
  )
  await give('drop', 'dropped.png', PNG, body)
  await page.setInputFiles('#field-body-files', {
    name: 'chosen.log',
    mimeType: 'text/plain',
    buffer: Buffer.from('a log'),
  })
  await page.waitForFunction((selector) => {
    const { value } = document.querySelector(selector) as HTMLTextAreaElement
    return value.split('att_').length === 4 && !value.includes('Uploading')
  }, body)
  const text = (await page.inputValue(body)).replace(/att_\w+/g, 'ID')
  expect(text.split('\n').filter((line) => line !== '')).toEqual([
    'Before',
    `![image.png](${REPO}/attachments/ID/image.png)`,
    `![dropped.png](${REPO}/attachments/ID/dropped.png)`,
    `[chosen.log](${REPO}/attachments/ID/chosen.log)`,
  ])
  await page.click('main form button[class*=primary]')
  await page.waitForURL(/\/issues\/\d+$/)
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll<HTMLImageElement>('.md img')].filter(
        (picture) => picture.complete && picture.naturalWidth === 1,
      ).length === 2,
  )
  expect(problems).toEqual([])
}, 120_000)

test('a file that is too large says so beside the field and leaves the text as it was', async () => {
  await page.goto(`${forge.url}${REPO}/issues/1`)
  const body = '#field-body-new'
  await page.fill(body, 'Words')
  await give('paste', 'huge.png', Buffer.alloc(26 * 1024 * 1024), body)
  await page.waitForFunction(() =>
    document
      .querySelector('[data-attach-status="field-body-new"]')
      ?.textContent?.includes('was not uploaded'),
  )
  expect((await page.inputValue(body)).trim()).toBe('Words')
  expect(await page.textContent('[data-attach-status="field-body-new"]')).toContain('larger than')
  problems.length = 0
}, 120_000)

test('nothing in an attached SVG or page runs when it is opened', async () => {
  const upload = await page.evaluate(async (repo) => {
    const csrf = document.querySelector<HTMLInputElement>('input[name=csrf]')?.value ?? ''
    const paths: string[] = []
    for (const [name, text] of [
      ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>top.hit = 1</script></svg>'],
      ['a.html', '<script>top.hit = 1</script>'],
    ] as const) {
      const body = new FormData()
      body.append('csrf', csrf)
      body.append('file', new File([text], name))
      const response = await fetch(`${repo}/attachments`, { method: 'POST', body })
      const { markdown } = (await response.json()) as { markdown: string }
      paths.push(/\((.*)\)$/.exec(markdown)?.[1] ?? '')
    }
    return paths
  }, REPO)
  for (const path of upload) {
    const shown = await page.evaluate(async (path) => {
      const frame = document.createElement('iframe')
      frame.src = path
      document.body.append(frame)
      const picture = new Image()
      picture.src = path
      const failed = await new Promise<boolean>((resolve) => {
        picture.onerror = () => resolve(true)
        picture.onload = () => resolve(false)
      })
      return { failed, hit: (globalThis as unknown as { hit?: number }).hit ?? null }
    }, path)
    expect(shown).toEqual({ failed: true, hit: null })
  }
  problems.length = 0
}, 120_000)
