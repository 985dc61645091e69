#!/usr/bin/env node
import { launch } from './launch.js'

launch('millrace-ingest', { script: 'src/cli/main.js', args: process.argv.slice(2) })
