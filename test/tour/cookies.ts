/** The cookies of a header, for a browser: it sends them after a redirect and beside those that pages set. */
export const cookiesOf = (header: string, url: string) =>
  header.split('; ').map((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return { name, value, url }
  })
