import { launchService } from './launch.ts'

/** `npm run dev` runs the service and restarts it on every change. */
await launchService('millrace', { file: 'main', options: ['--watch'], args: process.argv.slice(2) })
