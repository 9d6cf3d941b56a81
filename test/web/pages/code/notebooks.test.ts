/** Notebooks on the page of a file and in changes, as a browser without a script gets them. */
import { expect, test } from 'bun:test'
import { createBranch, createCommit } from '#features/repos/index.ts'
import { htmlToText } from '#web/pages/code/html-to-text.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const notebook = (cells: unknown[]): string =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }, null, 1)
const output = (data: Record<string, string>) => ({ output_type: 'display_data', data })
const code = (id: string, source: string, outputs: unknown[] = []) => ({
  cell_type: 'code',
  id,
  source,
  outputs,
})

const HOSTILE = [
  output({ 'text/html': '<table><tr><td>1</td><td>2</td></tr></table><script>top.hit=1</script>' }),
  output({ 'image/svg+xml': '<svg onload="top.hit=1"></svg>' }),
  output({ 'application/javascript': 'top.hit=1' }),
  output({ 'image/png': '" onerror="top.hit=1' }),
]

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  const commit = (branch: string, content: string) =>
    forge.call(createCommit, ada, {
      repo: REPO,
      branch,
      message: 'Calculate',
      files: [{ path: 'a.ipynb', action: 'put', content }],
    })
  return { forge, ada, commit, browser: await forge.browser('ada') }
}

test('outputs of a notebook are text, and nothing of them runs', async () => {
  const { commit, browser } = await setUp()
  await commit('main', notebook([code('one', 'show()', HOSTILE)]))
  const { html } = await browser.open(`/${REPO}/blob/main/a.ipynb`)
  const shown = html.slice(html.indexOf('<div class="notebook">'), html.indexOf('</main>'))
  expect(shown).toContain('1\t2')
  for (const part of ['<script', '<svg onload', 'onerror="', 'top.hit=1<'])
    expect([part, shown.includes(part)]).toEqual([part, false])
  expect(shown).toContain('image/svg+xml')
})

test('a deeply nested or very large notebook is shown as text', async () => {
  const { commit, browser } = await setUp()
  await commit('main', `{"nbformat": 4, "cells": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
  const deep = await browser.open(`/${REPO}/blob/main/a.ipynb`)
  expect([deep.status, deep.html.includes('class="notebook"')]).toEqual([200, false])
  await commit('main', notebook([code('one', 'x\n'.repeat(1_500_000))]))
  const large = await browser.open(`/${REPO}/blob/main/a.ipynb`)
  expect([large.status, large.html.includes('class="notebook"')]).toEqual([200, false])
})

test('a change of a notebook is shown cell by cell, above the lines of the file', async () => {
  const { forge, ada, commit, browser } = await setUp()
  const first = code('one', 'total = 1\nprint(total)')
  await commit('main', notebook([first, code('two', 'print(2)')]))
  await forge.call(createBranch, ada, { repo: REPO, branch: 'work', from: 'main' })
  const changed = code('one', 'total = 12\nprint(total)', [output({ 'text/plain': '12' })])
  await commit('work', notebook([changed, code('two', 'print(2)')]))
  const { html } = await browser.open(`/${REPO}/compare/main...work`)
  const [cells = '', lines = ''] = html
    .slice(html.indexOf('class="notebook-diff"'))
    .split('Show as lines of the file')
  expect(cells).toContain('Code cell 1')
  expect(cells).toContain('Outputs changed')
  expect(cells).toContain('1 unchanged cell')
  expect(cells.replace(/<[^>]*>/g, '')).toContain('total = 12')
  expect(lines.replace(/<[^>]*>/g, '')).toContain('"cell_type"'.replaceAll('"', '&quot;'))
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(ids.length).toBe(new Set(ids).size)
})

test('HTML becomes its text', () => {
  expect(htmlToText('<p>a &lt;b&gt;</p><style>p{}</style><ul><li>c<li>d</ul>')).toBe('a <b>\nc\nd')
  expect(htmlToText('<script>alert(1)')).toBe('')
  expect(htmlToText('&amp;lt;')).toBe('&lt;')
})
