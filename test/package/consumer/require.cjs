const sallyport = require("sallyport");

console.log(Object.keys(sallyport).toSorted().join(" "));
