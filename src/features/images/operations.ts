export { openImage } from './open-image.ts'
