import { test } from 'bun:test'
import { makeWorld } from './world.ts'
import { ToolSearch } from '#http/tools/tool-search.ts'
test('x', async () => {
  const w = await makeWorld()
  const s = new ToolSearch(w.hearth.operations.filter((o) => o.tool))
  for (const f of ['known', 'unknown']) {
    const lines = (await Bun.file(`/work/main/test/fixtures/tools/${f}-questions.txt`).text()).split('\n').filter((l) => l.includes(' = '))
    let first = 0, eight = 0
    for (const l of lines) {
      const [q, t] = l.split(' = '); const ok = t!.split(' ')
      const r = s.find(q!, 8).map((o) => o.name)
      const p = r.findIndex((n) => ok.includes(n))
      if (p === 0) first++; if (p >= 0) eight++
      if (p !== 0 && f === 'known' || p < 0) console.log(f, p, q, '->', r.slice(0, 4).join(' '), '| want', t)
    }
    console.log(f, lines.length, 'first', first, 'eight', eight)
  }
})
