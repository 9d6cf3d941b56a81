/** Checks the bucket itself; the checks of stores and files cover its contents. */
import { BucketError } from '#lib/bucket.ts'
import { note, fault, type Check } from './finding.ts'

export const bucketOwner: Check = {
  name: 'bucket',
  appliesToCopies: false,
  async run({ hearth: { storage } }) {
    if (storage.address === null) return []
    try {
      if (await storage.ownsBucket()) return []
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      return [
        fault(
          error.message,
          'What is in the bucket only cannot be read now, and what is new is not copied there. See storage.bucket and its keys, and whether the store runs.',
        ),
      ]
    }
    return [
      note(
        `another data directory had ${storage.address} before this one`,
        'As long as that may still serve, this forge takes nothing out of the bucket, and nothing off this disk. If it has taken the place of that one for good, let it have the bucket.',
        {
          would: 'let this data directory have the bucket',
          run: async () => {
            await storage.claimBucket()
            return `${storage.address} belongs to this data directory now`
          },
        },
      ),
    ]
  },
}
