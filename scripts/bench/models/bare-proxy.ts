/**
 * A proxy that does nothing but hand a request on and its answer back: what the model gateway is
 * compared with. Its one argument is the address of the model; prints its own.
 */
const [model = ''] = process.argv.slice(2)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  fetch: async (request) => {
    const { status, headers, body } = await fetch(`${model}${new URL(request.url).pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: await request.bytes(),
    })
    return new Response(body, {
      status,
      headers: { 'content-type': headers.get('content-type') ?? '' },
    })
  },
})

process.stdout.write(`${server.url.origin}\n`)
