// Stands for supertest in Express' own tests: takes an application of the shim to its server.
"use strict";
const supertest = require("supertest-6");

module.exports = (app) => supertest(app.toServer ? app.toServer() : app);
