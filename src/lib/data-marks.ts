/** Marks text of others in prompts, so that a model can tell it from its instructions. */
import { hmacSha256 } from './hash.ts'

/** Text between marks that it cannot imitate. `key` is known to nobody who wrote the text. */
export function asData(key: string, from: string, text: string): string {
  const mark = Buffer.from(hmacSha256(key, from)).toString('hex').slice(0, 12)
  return `<data-${mark} from="${from}">\n${text.replaceAll(mark, '')}\n</data-${mark}>`
}

/** Where the texts between marks are, without their marks. */
export function dataSections(text: string): { from: number; to: number }[] {
  const sections: { from: number; to: number }[] = []
  const opening = /<data-([0-9a-f]{12}) from="[^"\n]*">\n/g
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const from = opening.lastIndex
    const closing = `\n</data-${found[1]}>`
    const to = text.indexOf(closing, from)
    if (to < 0) continue
    sections.push({ from, to })
    opening.lastIndex = to + closing.length
  }
  return sections
}
