import{a}from"./chunk-GYI6BVYI.js";import"./chunk-F7VZH42Q.js";import"./chunk-JG2DP7M6.js";import"./chunk-ABYZPBQ6.js";import"./chunk-GPEBTG2J.js";import"./chunk-UZQ35JEW.js";export{a as qrCode};
