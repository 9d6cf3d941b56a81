/** Sends the files of a folder and does nothing else: the least that a pull takes in this runtime. */
import { join } from 'node:path'

const [, , directory = '', port = ''] = process.argv

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  fetch: ({ url }) => {
    const { pathname } = new URL(url)
    return pathname === '/' ? new Response() : new Response(Bun.file(join(directory, pathname)))
  },
})
