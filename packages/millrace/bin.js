#!/usr/bin/env node
import '../src/millrace.js'
