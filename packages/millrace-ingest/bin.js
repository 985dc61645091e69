#!/usr/bin/env node
import { launch } from '../src/launch.js'

launch('millrace-ingest', { file: 'cli/main', args: process.argv.slice(2) })
