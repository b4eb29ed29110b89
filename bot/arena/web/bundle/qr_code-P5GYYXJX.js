import{a}from"./chunk-6RBEKJUM.js";import"./chunk-F4G3SBMC.js";import"./chunk-JG2DP7M6.js";import"./chunk-Y5GT2CIP.js";import"./chunk-GPEBTG2J.js";import"./chunk-UZQ35JEW.js";export{a as qrCode};
