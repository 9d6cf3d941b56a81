/**
 * The fields of a form as a browser without a script would send them: inputs, ticks, choices and
 * texts.
 */
const plain = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
  return found === undefined ? undefined : plain(found)
}

/** By name, in the order of the page. Throws when there is no form to `action`. */
export function formOf(html: string, action: string): Map<string, string[]> {
  const form = html
    .split('<form')
    .find((part) => part.includes(`action="${action}"`) && part.includes('method="post"'))
    ?.split('</form>')[0]
  if (form === undefined) throw new Error(`there is no form to ${action}`)
  const fields = new Map<string, string[]>()
  const add = (name: string | undefined, value: string) =>
    void (name !== undefined && fields.set(name, [...(fields.get(name) ?? []), value]))
  for (const [whole, tag, rest = ''] of form.matchAll(
    /(<(?:input|textarea|select)[^>]*>)([\s\S]*?(?=<input|<textarea|<select|$))/g,
  )) {
    const name = attribute(tag ?? whole, 'name')
    if (tag?.startsWith('<input')) {
      const ticks = ['checkbox', 'radio'].includes(attribute(tag, 'type') ?? '')
      if (!ticks || / checked/.test(tag)) add(name, attribute(tag, 'value') ?? '')
    } else if (tag?.startsWith('<textarea'))
      add(name, plain((rest.split('</textarea>')[0] ?? '').replace(/^\n/, '')))
    else {
      const options = rest.match(/<option[^>]*>/g) ?? []
      add(
        name,
        attribute(
          options.find((option) => / selected/.test(option)) ?? options[0] ?? '',
          'value',
        ) ?? '',
      )
    }
  }
  return fields
}
