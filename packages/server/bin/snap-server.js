#!/usr/bin/env node
// Exists before anything is built, so the command can be linked in a fresh checkout.
import "../dist/cli.js";
