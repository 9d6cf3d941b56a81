/**
 * The first published collision of SHA-1 (https://shattered.io): the common start of both files and
 * the two blocks in which they differ. The second message is the first with the differences of the
 * attack.
 */
const FIRST = `
255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f4865696768742033203020522f547970652034203020522f
537562747970652035203020522f46696c7465722036203020522f436f6c6f7253706163652037203020522f4c656e6774682038203020522f42697473506572
436f6d706f6e656e7420383e3e0a73747265616d0affd8fffe00245348412d3120697320646561642121212121852fec092339759c39b1a1c63c4c97e1fffe01
7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5df45c14f26fedfb3dc38e96ac22fe7bd728f0e45bce046d2
3c570feb141398bb552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500eb4ddc0decc1a864790c782c76215660dd309791d06bd0af3f98cda4bc4629b1
`
/** What differs, by place and as it is combined with the first message by exclusive or. */
const DIFFERENCES = `
192:0c 195:02 196:c0 199:10 200:b4 203:1c 204:3c 207:04 208:bc 211:1a 212:20 215:10 216:24 219:1c 220:ec 223:14 224:0c
227:02 228:c0 231:10 232:b4 235:1c 236:2c 239:04 240:bc 243:18 244:b0 247:10 251:0c 252:b8 255:10 256:0c 259:02 260:c0
263:10 264:b4 267:1c 268:3c 271:04 272:bc 275:1a 276:20 279:10 280:24 283:1c 284:ec 287:14 288:0c 291:02 292:c0 295:10
296:b4 299:1c 300:2c 303:04 304:bc 307:18 308:b0 311:10 315:0c 316:b8 319:10
`

const first = Buffer.from(FIRST.replace(/\s/g, ''), 'hex')
const second = Buffer.from(first)
for (const [, place, bits] of DIFFERENCES.matchAll(/(\d+):([0-9a-f]{2})/g))
  second[Number(place)]! ^= Number.parseInt(bits ?? '0', 16)

export const collidingMessages = { first, second }
