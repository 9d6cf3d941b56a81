// The texts of the script. Each is written in English where it is used; pages in another language load a
// file with its translations before the script (`web/assets.ts`).
declare global {
  // A property of the window can only be declared like this.
  var hearthTexts: Readonly<Record<string, string>> | undefined
}

/** A text in the language of the page. Values take the places `{name}`. */
export const t = (text: string, values: Readonly<Record<string, string>> = {}): string =>
  (globalThis.hearthTexts?.[text] ?? text).replace(
    /\{(\w+)\}/g,
    (place, name: string) => values[name] ?? place,
  )
