/** The file finder and the tree beside a file, without a script. */
import { expect, test } from 'bun:test'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
await forge.commit(REPO, 'main', { 'src/oven.ts': 'a', 'src/<b>.ts': 'b', 'README.md': '# Site' })
const visitor = await forge.browser(null)

test('the finder leads from the key t to the file', async () => {
  const { html } = await visitor.open(`/${REPO}`)
  expect(html).toMatch(/href="\/acme\/site\/find\/main"[^>]* data-hotkey="t"/)
  const found = await visitor.open(`/${REPO}/find/main?q=ovn`)
  expect(found.html).toContain(`href="/${REPO}/blob/main/src/oven.ts"`)
  expect(found.html).not.toContain(`href="/${REPO}/blob/main/README.md"`)
  const odd = await visitor.open(`/${REPO}/find/main?q=%3Cb`)
  expect([odd.html.includes('&lt;b&gt;.ts'), odd.html.includes('<b>.ts')]).toEqual([true, false])
  expect((await visitor.open(`/${REPO}/find/main?q=zebra`)).html).toContain('No files found')
  expect((await visitor.open(`/${REPO}/find/nothing`)).status).toBe(404)
})

test('a file and a folder have the tree beside them, with their place marked', async () => {
  const { html } = await visitor.open(`/${REPO}/blob/main/src/oven.ts`)
  const tree = /<nav class="file-tree"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? ''
  expect([...tree.matchAll(/href="(\/[^"]+)"/g)].map(([, href]) => href)).toEqual([
    `/${REPO}/tree/main/src`,
    `/${REPO}/blob/main/src/%3Cb%3E.ts`,
    `/${REPO}/blob/main/src/oven.ts`,
    `/${REPO}/blob/main/README.md`,
  ])
  expect(tree).toContain(`href="/${REPO}/blob/main/src/oven.ts" aria-current="page"`)
  expect((await visitor.open(`/${REPO}/tree/main/src`)).html).toContain('class="file-tree"')
})
